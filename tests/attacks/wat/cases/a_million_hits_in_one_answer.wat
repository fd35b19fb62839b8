;; expect: LimitExceeded reply_bytes
;; One call answers a million hits that cost the guest nothing: the list lies over zeroed
;; memory. Idea: decompression bombs, and the element-wise lifting of dynamic hosts.
(component
  (core module $code
    (memory (export "memory") 520)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 1024))
    (func (export "search") (param i32 i32 i32) (result i32)
      (i32.store (i32.const 8) (i32.const 65536))
      (i32.store (i32.const 12) (i32.const 1000000))
      (i32.const 4)))
  (core instance $running (instantiate $code))
  (alias core export $running "memory" (core memory $memory))
  (alias core export $running "realloc" (core func $realloc))
  (alias core export $running "search" (core func $core-search))

  (type $kind (enum "input" "operation" "unavailable"))
  (type $failure (record (field "kind" $kind) (field "code" string) (field "field" (option string))))
  (type $request (record (field "query" string) (field "limit" u32)))
  (type $hit (record (field "path" string) (field "content" string) (field "score" f64) (field "is-hybrid-match" bool)))
  (type $hits (record (field "hits" (list $hit))))
  (func $search (param "request" $request) (result (result $hits (error $failure)))
    (canon lift (core func $core-search) (memory $memory) (realloc $realloc)))

  (component $named
    (type $kind (enum "input" "operation" "unavailable"))
    (import "import-failure-kind" (type $kind1 (eq $kind)))
    (type $failure (record (field "kind" $kind1) (field "code" string) (field "field" (option string))))
    (import "import-failure" (type $failure1 (eq $failure)))
    (type $request (record (field "query" string) (field "limit" u32)))
    (import "import-search-request" (type $request1 (eq $request)))
    (type $hit (record (field "path" string) (field "content" string) (field "score" f64) (field "is-hybrid-match" bool)))
    (import "import-hit" (type $hit1 (eq $hit)))
    (type $hits (record (field "hits" (list $hit1))))
    (import "import-hits" (type $hits1 (eq $hits)))
    (import "import-search" (func $search (param "request" $request1) (result (result $hits1 (error $failure1)))))
    (export $kind2 "failure-kind" (type $kind1))
    (type $failure-again (record (field "kind" $kind2) (field "code" string) (field "field" (option string))))
    (export $failure2 "failure" (type $failure1) (type (eq $failure-again)))
    (export $request2 "search-request" (type $request1))
    (export $hit2 "hit" (type $hit1))
    (type $hits-again (record (field "hits" (list $hit2))))
    (export $hits2 "hits" (type $hits1) (type (eq $hits-again)))
    (export "search" (func $search) (func (param "request" $request2) (result (result $hits2 (error $failure2))))))

  (instance $tools (instantiate $named
    (with "import-failure-kind" (type $kind))
    (with "import-failure" (type $failure))
    (with "import-search-request" (type $request))
    (with "import-hit" (type $hit))
    (with "import-hits" (type $hits))
    (with "import-search" (func $search))))
  (export "ironclaw:memory/tools@0.1.0" (instance $tools)))
