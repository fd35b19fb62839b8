;; expect: UnacceptableComponent unacceptable-component
;; says: audit.emit
;; A record with the right fields in another order: each is where another type is expected.
;; Idea: CWE-843, type confusion.
(component
  (import "ironclaw:memory/audit@0.1.0" (instance
    (type $kind' (enum "document-written" "document-deleted" "document-indexed" "search-performed"
      "safety-checked" "safety-warned" "safety-rejected" "safety-bypassed"))
    (export "event-kind" (type $kind (eq $kind')))
    (type $event' (record (field "size" (option u64)) (field "kind" $kind)
      (field "path-hash" (option string)) (field "reason" (option string))
      (field "registry" (option string))))
    (export "event" (type $event (eq $event')))
    (export "emit" (func (param "event" $event) (result bool)))))
  (instance $empty)
  (export "ironclaw:memory/tools@0.1.0" (instance $empty)))
