;; expect: UnacceptableComponent unacceptable-component
;; says: wasi:filesystem/types@0.3.0
;; The right interface of a generation that this host does not replace piece by piece. Idea: version confusion.
(component
  (import "wasi:filesystem/types@0.3.0" (instance))
  (instance $empty)
  (export "ironclaw:memory/tools@0.1.0" (instance $empty)))
