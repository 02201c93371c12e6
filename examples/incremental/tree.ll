; The compiled program: a search tree that is never changed. An insertion makes new nodes from the
; root to the new leaf, which share all other nodes with the tree before. So it loads references and
; allocates by turns, and collections are always in progress.
target triple = "x86_64-pc-linux-gnu"

declare ptr addrspace(1) @allocate(i32, i32) ; words, and how many of them are references

; A node has a header, two references and a key, at offsets 0, 8, 16 and 24. %left and %right move
; while the node is made.
define ptr addrspace(1) @node(ptr addrspace(1) %left, ptr addrspace(1) %right, i64 %key) #0
    gc "statepoint-example" {
  %node = call ptr addrspace(1) @allocate(i32 3, i32 2)
  %left.at = getelementptr i8, ptr addrspace(1) %node, i64 8
  %right.at = getelementptr i8, ptr addrspace(1) %node, i64 16
  %key.at = getelementptr i8, ptr addrspace(1) %node, i64 24
  store ptr addrspace(1) %left, ptr addrspace(1) %left.at
  store ptr addrspace(1) %right, ptr addrspace(1) %right.at
  store i64 %key, ptr addrspace(1) %key.at
  ret ptr addrspace(1) %node
}

; The tree with this key, too. It is the same tree if it has the key.
define ptr addrspace(1) @insert(ptr addrspace(1) %tree, i64 %key) #0 gc "statepoint-example" {
  %is.empty = icmp eq ptr addrspace(1) %tree, null
  br i1 %is.empty, label %leaf, label %inner
leaf:
  %new = call ptr addrspace(1) @node(ptr addrspace(1) null, ptr addrspace(1) null, i64 %key)
  ret ptr addrspace(1) %new
inner:
  %key.at = getelementptr i8, ptr addrspace(1) %tree, i64 24
  %own = load i64, ptr addrspace(1) %key.at
  %is.found = icmp eq i64 %own, %key
  br i1 %is.found, label %same, label %different
different:
  %left.at = getelementptr i8, ptr addrspace(1) %tree, i64 8
  %right.at = getelementptr i8, ptr addrspace(1) %tree, i64 16
  %is.left = icmp ult i64 %key, %own
  br i1 %is.left, label %lower, label %higher
lower:
  %left = load ptr addrspace(1), ptr addrspace(1) %left.at
  %left.then = call ptr addrspace(1) @insert(ptr addrspace(1) %left, i64 %key)
  %left.is.same = icmp eq ptr addrspace(1) %left, %left.then
  br i1 %left.is.same, label %same, label %left.differs
left.differs:
  %right.now = load ptr addrspace(1), ptr addrspace(1) %right.at
  %low = call ptr addrspace(1) @node(ptr addrspace(1) %left.then, ptr addrspace(1) %right.now,
                                     i64 %own)
  ret ptr addrspace(1) %low
higher:
  %right = load ptr addrspace(1), ptr addrspace(1) %right.at
  %right.then = call ptr addrspace(1) @insert(ptr addrspace(1) %right, i64 %key)
  %right.is.same = icmp eq ptr addrspace(1) %right, %right.then
  br i1 %right.is.same, label %same, label %right.differs
right.differs:
  %left.now = load ptr addrspace(1), ptr addrspace(1) %left.at
  %high = call ptr addrspace(1) @node(ptr addrspace(1) %left.now, ptr addrspace(1) %right.then,
                                      i64 %own)
  ret ptr addrspace(1) %high
same:
  ret ptr addrspace(1) %tree
}

; The sum of a tree's keys.
define i64 @sum(ptr addrspace(1) %tree) #0 gc "statepoint-example" {
  %is.empty = icmp eq ptr addrspace(1) %tree, null
  br i1 %is.empty, label %nothing, label %something
nothing:
  ret i64 0
something:
  %left.at = getelementptr i8, ptr addrspace(1) %tree, i64 8
  %right.at = getelementptr i8, ptr addrspace(1) %tree, i64 16
  %key.at = getelementptr i8, ptr addrspace(1) %tree, i64 24
  %left = load ptr addrspace(1), ptr addrspace(1) %left.at
  %right = load ptr addrspace(1), ptr addrspace(1) %right.at
  %key = load i64, ptr addrspace(1) %key.at
  %left.sum = call i64 @sum(ptr addrspace(1) %left)
  %right.sum = call i64 @sum(ptr addrspace(1) %right)
  %both = add i64 %left.sum, %right.sum
  %all = add i64 %both, %key
  ret i64 %all
}

; Makes %rounds trees of %insertions, one after the other, and adds up their sums. The keys are
; those of a random number generator.
define i64 @work(i64 %rounds, i64 %insertions) #0 gc "statepoint-example" {
entry:
  br label %round
round:
  %rounds.left = phi i64 [ %rounds, %entry ], [ %fewer, %made ]
  %seed = phi i64 [ 1, %entry ], [ %random, %made ]
  %so.far = phi i64 [ 0, %entry ], [ %total, %made ]
  br label %insertion
insertion:
  %left = phi i64 [ %insertions, %round ], [ %less, %insertion ]
  %tree = phi ptr addrspace(1) [ null, %round ], [ %larger, %insertion ]
  %before = phi i64 [ %seed, %round ], [ %random, %insertion ]
  %product = mul i64 %before, 6364136223846793005
  %random = add i64 %product, 1442695040888963407
  %high = lshr i64 %random, 33
  %key = and i64 %high, 1023
  %larger = call ptr addrspace(1) @insert(ptr addrspace(1) %tree, i64 %key)
  %less = sub i64 %left, 1
  %is.made = icmp eq i64 %less, 0
  br i1 %is.made, label %made, label %insertion
made:
  %keys = call i64 @sum(ptr addrspace(1) %larger)
  %total = add i64 %so.far, %keys
  %fewer = sub i64 %rounds.left, 1
  %is.last = icmp eq i64 %fewer, 0
  br i1 %is.last, label %done, label %round
done:
  ret i64 %total
}

; Walks step through functions by their unwind information, so that each must have some.
attributes #0 = { uwtable(sync) }
