;; expect: UnacceptableComponent unacceptable-component
;; says: audit.emit
;; An import of ours with a type of its own, so that the host reads a number as a pointer to text.
;; Idea: CWE-843, type confusion.
(component
  (import "ironclaw:memory/audit@0.1.0" (instance
    (export "emit" (func (param "event" u64) (result bool)))))
  (instance $empty)
  (export "ironclaw:memory/tools@0.1.0" (instance $empty)))
