;; expect: UnacceptableComponent unacceptable-component
;; A name of ours with something else behind it. Idea: type confusion at a linker.
(component
  (import "ironclaw:memory/context@0.1.0" (func))
  (instance $empty)
  (export "ironclaw:memory/tools@0.1.0" (instance $empty)))
