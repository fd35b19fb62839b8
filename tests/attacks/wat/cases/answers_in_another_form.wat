;; expect: UnacceptableComponent unacceptable-component
;; The right function with other types: what comes back would not be what the host reads. Idea: confused deputies.
(component
  (core module $code
    (memory (export "memory") 1)
    (func (export "search") (result i32) (i32.const 8)))
  (core instance $running (instantiate $code))
  (alias core export $running "memory" (core memory $memory))
  (alias core export $running "search" (core func $core-search))
  (func $search (result string) (canon lift (core func $core-search) (memory $memory)))
  (instance $tools (export "search" (func $search)))
  (export "ironclaw:memory/tools@0.1.0" (instance $tools)))
