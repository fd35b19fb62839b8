;; expect: UnacceptableComponent unacceptable-component
;; A component that is no provider at all. Idea: picking the wrong file.
(component)
