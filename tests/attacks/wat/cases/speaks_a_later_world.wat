;; expect: UnacceptableComponent unacceptable-component
;; says: ironclaw:memory/tools@0.2.0
;; A world whose meaning this host cannot know. Idea: downgrade and version confusion.
(component
  (instance $empty)
  (export "ironclaw:memory/tools@0.2.0" (instance $empty)))
