;; expect: UnacceptableComponent unacceptable-component
;; says: getenv
;; A function at the root of the imports rather than in an interface. Idea: WASI preview 1 habits.
(component
  (import "getenv" (func (param "name" string) (result string)))
  (instance $empty)
  (export "ironclaw:memory/tools@0.1.0" (instance $empty)))
