;; expect: UnacceptableComponent unacceptable-component
;; says: evil:host/shell@1.0.0
;; An import that no world of ours has. Idea: permissive hosts that stub unknown imports.
(component
  (import "evil:host/shell@1.0.0" (instance))
  (instance $empty)
  (export "ironclaw:memory/tools@0.1.0" (instance $empty)))
