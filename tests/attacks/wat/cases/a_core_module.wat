;; expect: ComponentUnreadable component-unreadable
;; A core module has no types at its boundary. Idea: wasmtime's own loader tests.
(module)
