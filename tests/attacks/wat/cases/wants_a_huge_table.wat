;; expect: LimitExceeded table_elements
;; Tables take memory of the host that no memory limit counts. Idea: wasmtime's resource limiter tests.
(component
  (core module $code (table 9000000 funcref))
  (core instance (instantiate $code))
  (instance $empty)
  (export "ironclaw:memory/tools@0.1.0" (instance $empty)))
