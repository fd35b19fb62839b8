;; expect: UnacceptableComponent unacceptable-component
;; says: wasi:http/outgoing-handler@0.2.0
;; A provider that wants to send what it knows. Idea: every exfiltration story of an MCP server.
(component
  (import "wasi:http/outgoing-handler@0.2.0" (instance))
  (instance $empty)
  (export "ironclaw:memory/tools@0.1.0" (instance $empty)))
