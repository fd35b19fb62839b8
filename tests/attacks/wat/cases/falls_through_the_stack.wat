;; expect: LimitExceeded stack_bytes
;; Recursion without end. Idea: parsers that recurse into hostile nesting.
(component
  (core module $code (func $down (call $down)) (start $down))
  (core instance (instantiate $code))
  (instance $empty)
  (export "ironclaw:memory/tools@0.1.0" (instance $empty)))
