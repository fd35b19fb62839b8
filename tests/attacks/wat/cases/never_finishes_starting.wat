;; expect: LimitExceeded deadline_ms
;; The start function runs before any call does. Idea: initialisers outside of the clock.
(component
  (core module $code (func $spin (loop $again (br $again))) (start $spin))
  (core instance (instantiate $code))
  (instance $empty)
  (export "ironclaw:memory/tools@0.1.0" (instance $empty)))
