; A function that calls itself for both children of a node, and changes what it will read. Beside
; recursion.ll.

declare ptr addrspace(1) @build(i64)
declare ptr addrspace(1) @box(i64)

; The nodes of a tree that are reached when each node's left child, if there is one, first takes the
; right one away.
define i64 @cut(ptr addrspace(1) %tree, ptr addrspace(1) %parent) gc "statepoint-example" {
entry:
  %none = icmp eq ptr addrspace(1) %tree, null
  br i1 %none, label %end, label %some
some:
  %root = icmp eq ptr addrspace(1) %parent, null
  br i1 %root, label %walk, label %take
take:
  %parent_right = getelementptr i8, ptr addrspace(1) %parent, i64 24
  store ptr addrspace(1) null, ptr addrspace(1) %parent_right
  br label %walk
walk:
  %left_field = getelementptr i8, ptr addrspace(1) %tree, i64 16
  %left = load ptr addrspace(1), ptr addrspace(1) %left_field
  %left_nodes = call i64 @cut(ptr addrspace(1) %left, ptr addrspace(1) %tree)
  %right_field = getelementptr i8, ptr addrspace(1) %tree, i64 24
  %right = load ptr addrspace(1), ptr addrspace(1) %right_field
  %right_nodes = call i64 @cut(ptr addrspace(1) %right, ptr addrspace(1) null)
  %garbage = call ptr addrspace(1) @box(i64 0)
  %both = add i64 %left_nodes, %right_nodes
  %all = add i64 %both, 1
  br label %end
end:
  %result = phi i64 [ 0, %entry ], [ %all, %walk ]
  ret i64 %result
}

define i64 @build_and_cut(i64 %depth) gc "statepoint-example" {
  %tree = call ptr addrspace(1) @build(i64 %depth)
  %nodes = call i64 @cut(ptr addrspace(1) %tree, ptr addrspace(1) null)
  ret i64 %nodes
}
