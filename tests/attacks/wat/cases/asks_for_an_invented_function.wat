;; expect: UnacceptableComponent unacceptable-component
;; An interface that is offered, with a function it does not have. Idea: probing a host for more.
(component
  (import "wasi:random/random@0.2.0" (instance (export "get-host-secrets" (func (result string)))))
  (instance $empty)
  (export "ironclaw:memory/tools@0.1.0" (instance $empty)))
