;; expect: ProviderTrapped trapped
;; A trap before the first call. Idea: any crash at start.
(component
  (core module $code (func $stop unreachable) (start $stop))
  (core instance (instantiate $code))
  (instance $empty)
  (export "ironclaw:memory/tools@0.1.0" (instance $empty)))
