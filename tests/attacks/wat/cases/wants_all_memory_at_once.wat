;; expect: LimitExceeded memory_bytes
;; A memory of 4 GiB from the first moment. Idea: wasmtime's resource limiter tests.
(component
  (core module $code (memory 65536))
  (core instance (instantiate $code))
  (instance $empty)
  (export "ironclaw:memory/tools@0.1.0" (instance $empty)))
