; Reads references from objects in every way there is. Every call of @allocate moves the objects
; that the frames refer to, and leaves the others to the load barrier (@current_address): the
; address that a field holds is one of memory that the program cannot read.
declare ptr addrspace(1) @allocate(i32, i32)
declare <4 x ptr addrspace(1)> @llvm.masked.load.v4p1.p1(ptr addrspace(1), i32, <4 x i1>,
                                                         <4 x ptr addrspace(1)>)
declare <4 x ptr addrspace(1)> @llvm.masked.gather.v4p1.v4p1(<4 x ptr addrspace(1)>, i32, <4 x i1>,
                                                             <4 x ptr addrspace(1)>)

define void @move() #0 gc "statepoint-example" {
  %unused = call ptr addrspace(1) @allocate(i32 1, i32 0)
  ret void
}

define i64 @key(ptr addrspace(1) %leaf) #0 gc "statepoint-example" {
  call void @move()
  %at = getelementptr i8, ptr addrspace(1) %leaf, i64 8
  %key = load i64, ptr addrspace(1) %at
  ret i64 %key
}

; Four leaves with keys 1 to 4, at offsets 8 to 32.
define ptr addrspace(1) @holder() #0 gc "statepoint-example" {
entry:
  %holder = call ptr addrspace(1) @allocate(i32 4, i32 4)
  br label %loop
loop:
  %key = phi i64 [ 1, %entry ], [ %next, %loop ]
  %leaf = call ptr addrspace(1) @allocate(i32 1, i32 0)
  %key.at = getelementptr i8, ptr addrspace(1) %leaf, i64 8
  store i64 %key, ptr addrspace(1) %key.at
  %offset = shl i64 %key, 3
  %at = getelementptr i8, ptr addrspace(1) %holder, i64 %offset
  store ptr addrspace(1) %leaf, ptr addrspace(1) %at
  %next = add i64 %key, 1
  %is.full = icmp eq i64 %next, 5
  br i1 %is.full, label %done, label %loop
done:
  call void @move()
  ret ptr addrspace(1) %holder
}

define i64 @plain() #0 gc "statepoint-example" {
  %holder = call ptr addrspace(1) @holder()
  %at = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %leaf = load ptr addrspace(1), ptr addrspace(1) %at
  %key = call i64 @key(ptr addrspace(1) %leaf)
  ret i64 %key
}

define i64 @volatile() #0 gc "statepoint-example" {
  %holder = call ptr addrspace(1) @holder()
  %at = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %leaf = load volatile ptr addrspace(1), ptr addrspace(1) %at
  %key = call i64 @key(ptr addrspace(1) %leaf)
  ret i64 %key
}

define i64 @atomic() #0 gc "statepoint-example" {
  %holder = call ptr addrspace(1) @holder()
  %at = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %leaf = load atomic ptr addrspace(1), ptr addrspace(1) %at acquire, align 8
  %key = call i64 @key(ptr addrspace(1) %leaf)
  ret i64 %key
}

; 1000 times the first, 100 times the second, ...
define i64 @digits(<4 x ptr addrspace(1)> %leaves) #0 gc "statepoint-example" {
  %a = extractelement <4 x ptr addrspace(1)> %leaves, i64 0
  %b = extractelement <4 x ptr addrspace(1)> %leaves, i64 1
  %c = extractelement <4 x ptr addrspace(1)> %leaves, i64 2
  %d = extractelement <4 x ptr addrspace(1)> %leaves, i64 3
  %a.key = call i64 @key(ptr addrspace(1) %a)
  %b.key = call i64 @key(ptr addrspace(1) %b)
  %c.key = call i64 @key(ptr addrspace(1) %c)
  %d.key = call i64 @key(ptr addrspace(1) %d)
  %a.ten = mul i64 %a.key, 10
  %ab = add i64 %a.ten, %b.key
  %ab.ten = mul i64 %ab, 10
  %abc = add i64 %ab.ten, %c.key
  %abc.ten = mul i64 %abc, 10
  %abcd = add i64 %abc.ten, %d.key
  ret i64 %abcd
}

define i64 @vector() #0 gc "statepoint-example" {
  %holder = call ptr addrspace(1) @holder()
  %at = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %leaves = load <4 x ptr addrspace(1)>, ptr addrspace(1) %at, align 8
  %digits = call i64 @digits(<4 x ptr addrspace(1)> %leaves)
  ret i64 %digits
}

; The third is null in memory, and the second leaf takes its place.
define i64 @masked() #0 gc "statepoint-example" {
  %holder = call ptr addrspace(1) @holder()
  %at = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %second.at = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %second = load ptr addrspace(1), ptr addrspace(1) %second.at
  %others = insertelement <4 x ptr addrspace(1)> zeroinitializer, ptr addrspace(1) %second, i64 2
  %leaves = call <4 x ptr addrspace(1)> @llvm.masked.load.v4p1.p1(ptr addrspace(1) %at, i32 8,
    <4 x i1> <i1 true, i1 true, i1 false, i1 true>, <4 x ptr addrspace(1)> %others)
  %digits = call i64 @digits(<4 x ptr addrspace(1)> %leaves)
  ret i64 %digits
}

define i64 @gather() #0 gc "statepoint-example" {
  %holder = call ptr addrspace(1) @holder()
  %places = getelementptr i8, ptr addrspace(1) %holder, <4 x i64> <i64 32, i64 24, i64 16, i64 8>
  %leaves = call <4 x ptr addrspace(1)> @llvm.masked.gather.v4p1.v4p1(
    <4 x ptr addrspace(1)> %places, i32 8, <4 x i1> splat (i1 true),
    <4 x ptr addrspace(1)> zeroinitializer)
  %digits = call i64 @digits(<4 x ptr addrspace(1)> %leaves)
  ret i64 %digits
}

; How many of the first %count fields are not null: the optimiser makes loads of vectors.
define i64 @fields(ptr addrspace(1) %holder, i64 %count) #0 gc "statepoint-example" {
entry:
  %first = getelementptr i8, ptr addrspace(1) %holder, i64 8
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %found = phi i64 [ 0, %entry ], [ %more, %loop ]
  %at = getelementptr ptr addrspace(1), ptr addrspace(1) %first, i64 %i
  %leaf = load ptr addrspace(1), ptr addrspace(1) %at
  %is.set = icmp ne ptr addrspace(1) %leaf, null
  %one = zext i1 %is.set to i64
  %more = add i64 %found, %one
  %next = add i64 %i, 1
  %is.end = icmp eq i64 %next, %count
  br i1 %is.end, label %done, label %loop
done:
  ret i64 %more
}

define i64 @loop() #0 gc "statepoint-example" {
  %holder = call ptr addrspace(1) @holder()
  %third.at = getelementptr i8, ptr addrspace(1) %holder, i64 24
  store ptr addrspace(1) null, ptr addrspace(1) %third.at
  %found = call i64 @fields(ptr addrspace(1) %holder, i64 4)
  ret i64 %found
}

define i64 @structure() #0 gc "statepoint-example" {
  %holder = call ptr addrspace(1) @holder()
  %at = getelementptr i8, ptr addrspace(1) %holder, i64 8
  %pair = load { ptr addrspace(1), [2 x ptr addrspace(1)] }, ptr addrspace(1) %at
  call void @move()
  %third = extractvalue { ptr addrspace(1), [2 x ptr addrspace(1)] } %pair, 1, 1
  %key = call i64 @key(ptr addrspace(1) %third)
  ret i64 %key
}

define i64 @exchange() #0 gc "statepoint-example" {
  %holder = call ptr addrspace(1) @holder()
  %at = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %leaf = atomicrmw xchg ptr addrspace(1) %at, ptr addrspace(1) null seq_cst
  %key = call i64 @key(ptr addrspace(1) %leaf)
  ret i64 %key
}

; The frame has the leaf's new address by then, and the field an old one. 1000 says that the field
; was changed.
define i64 @compare() #0 gc "statepoint-example" {
  %holder = call ptr addrspace(1) @holder()
  %at = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %leaf = load ptr addrspace(1), ptr addrspace(1) %at
  call void @move()
  %result = cmpxchg ptr addrspace(1) %at, ptr addrspace(1) %leaf, ptr addrspace(1) null
    seq_cst seq_cst
  %seen = extractvalue { ptr addrspace(1), i1 } %result, 0
  %is.changed = extractvalue { ptr addrspace(1), i1 } %result, 1
  %now = load ptr addrspace(1), ptr addrspace(1) %at
  %is.null = icmp eq ptr addrspace(1) %now, null
  %both = and i1 %is.changed, %is.null
  %added = select i1 %both, i64 1000, i64 0
  %key = call i64 @key(ptr addrspace(1) %seen)
  %sum = add i64 %key, %added
  ret i64 %sum
}

; The field holds another leaf than the expected one: it stays.
define i64 @compare_others() #0 gc "statepoint-example" {
  %holder = call ptr addrspace(1) @holder()
  %at = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %other.at = getelementptr i8, ptr addrspace(1) %holder, i64 24
  %other = load ptr addrspace(1), ptr addrspace(1) %other.at
  %result = cmpxchg weak ptr addrspace(1) %at, ptr addrspace(1) %other, ptr addrspace(1) null
    acq_rel monotonic
  %seen = extractvalue { ptr addrspace(1), i1 } %result, 0
  %is.changed = extractvalue { ptr addrspace(1), i1 } %result, 1
  %added = select i1 %is.changed, i64 1000, i64 0
  %key = call i64 @key(ptr addrspace(1) %seen)
  %sum = add i64 %key, %added
  ret i64 %sum
}

define ptr addrspace(1) @read(ptr addrspace(1) %object, i64 %offset) noinline "gc-leaf-function" {
  %at = getelementptr i8, ptr addrspace(1) %object, i64 %offset
  %leaf = load ptr addrspace(1), ptr addrspace(1) %at
  ret ptr addrspace(1) %leaf
}

define i64 @by_leaf() #0 gc "statepoint-example" {
  %holder = call ptr addrspace(1) @holder()
  %leaf = call ptr addrspace(1) @read(ptr addrspace(1) %holder, i64 32)
  %key = call i64 @key(ptr addrspace(1) %leaf)
  ret i64 %key
}

; A pointer derived from what was loaded, across a safepoint; and a choice of two loads.
define i64 @derived(i1 %is.first) #0 gc "statepoint-example" {
  %holder = call ptr addrspace(1) @holder()
  %first.at = getelementptr i8, ptr addrspace(1) %holder, i64 8
  br i1 %is.first, label %first, label %second
first:
  %one = load ptr addrspace(1), ptr addrspace(1) %first.at
  br label %chosen
second:
  %second.at = getelementptr i8, ptr addrspace(1) %holder, i64 16
  %two = load ptr addrspace(1), ptr addrspace(1) %second.at
  br label %chosen
chosen:
  %leaf = phi ptr addrspace(1) [ %one, %first ], [ %two, %second ]
  %key.at = getelementptr i8, ptr addrspace(1) %leaf, i64 8
  call void @move()
  %key = load i64, ptr addrspace(1) %key.at
  ret i64 %key
}

; Through a local variable, which is a root.
define i64 @variable() #0 gc "statepoint-example" {
  %variable = alloca ptr addrspace(1)
  %holder = call ptr addrspace(1) @holder()
  %at = getelementptr i8, ptr addrspace(1) %holder, i64 24
  %leaf = load ptr addrspace(1), ptr addrspace(1) %at
  store volatile ptr addrspace(1) %leaf, ptr %variable
  call void @move()
  %again = load volatile ptr addrspace(1), ptr %variable
  %key = call i64 @key(ptr addrspace(1) %again)
  ret i64 %key
}

; A copy into a local variable, which promotion makes loads of.
define i64 @copied() #0 gc "statepoint-example" {
  %variable = alloca { ptr addrspace(1), ptr addrspace(1) }
  %holder = call ptr addrspace(1) @holder()
  %at = getelementptr i8, ptr addrspace(1) %holder, i64 8
  call void @llvm.memcpy.p0.p1.i64(ptr %variable, ptr addrspace(1) %at, i64 16, i1 false)
  %second.at = getelementptr i8, ptr %variable, i64 8
  %leaf = load ptr addrspace(1), ptr %second.at
  %key = call i64 @key(ptr addrspace(1) %leaf)
  ret i64 %key
}
declare void @llvm.memcpy.p0.p1.i64(ptr, ptr addrspace(1), i64, i1)

; What a list of 100 holders sums up to. Each is read between two moves.
define i64 @list() #0 gc "statepoint-example" {
entry:
  br label %make
make:
  %made = phi i64 [ 0, %entry ], [ %more, %make ]
  %list = phi ptr addrspace(1) [ null, %entry ], [ %longer, %make ]
  %longer = call ptr addrspace(1) @holder()
  %next.at = getelementptr i8, ptr addrspace(1) %longer, i64 8
  store ptr addrspace(1) %list, ptr addrspace(1) %next.at
  %more = add i64 %made, 1
  %is.made = icmp eq i64 %more, 100
  br i1 %is.made, label %walk, label %make
walk:
  %at = phi ptr addrspace(1) [ %longer, %make ], [ %following, %walk ]
  %sum = phi i64 [ 0, %make ], [ %larger, %walk ]
  %leaf.at = getelementptr i8, ptr addrspace(1) %at, i64 32
  %leaf = load ptr addrspace(1), ptr addrspace(1) %leaf.at
  %key = call i64 @key(ptr addrspace(1) %leaf)
  %larger = add i64 %sum, %key
  %following.at = getelementptr i8, ptr addrspace(1) %at, i64 8
  %following = load ptr addrspace(1), ptr addrspace(1) %following.at
  %is.end = icmp eq ptr addrspace(1) %following, null
  br i1 %is.end, label %done, label %walk
done:
  ret i64 %larger
}

attributes #0 = { noinline uwtable(sync) }
