; A list of numbers, made and summed, in the text that LLVM had before opaque pointers (until 16).
%type = type { i32, i32, i32, i32, i32*, i32, i32, i32*, i8* }
%node = type { %type*, %node addrspace(1)*, i64 }

@node.references = internal constant [1 x i32] [i32 8]
@node = internal constant %type { i32 24, i32 0, i32 0, i32 1, i32* getelementptr inbounds
    ([1 x i32], [1 x i32]* @node.references, i64 0, i64 0), i32 0, i32 0, i32* null, i8* null }
@latest = internal global %node addrspace(1)* null

declare i8 addrspace(1)* @spgc_allocate(i8*)
declare void @spgc_poll()

define i64 @sum(i64 %count) gc "statepoint-example" {
entry:
  br label %build

build:
  %number = phi i64 [ 0, %entry ], [ %next.number, %cons ]
  %list = phi %node addrspace(1)* [ null, %entry ], [ %cell, %cons ]
  %more = icmp ult i64 %number, %count
  br i1 %more, label %cons, label %walk

cons:
  %raw = call i8 addrspace(1)* @spgc_allocate(i8* bitcast (%type* @node to i8*))
  %cell = bitcast i8 addrspace(1)* %raw to %node addrspace(1)*
  %next.at = getelementptr inbounds %node, %node addrspace(1)* %cell, i64 0, i32 1
  store %node addrspace(1)* %list, %node addrspace(1)* addrspace(1)* %next.at
  %number.at = getelementptr inbounds %node, %node addrspace(1)* %cell, i64 0, i32 2
  store i64 %number, i64 addrspace(1)* %number.at
  store %node addrspace(1)* %cell, %node addrspace(1)** @latest
  %next.number = add i64 %number, 1
  br label %build

walk:
  %at = phi %node addrspace(1)* [ %list, %build ], [ %rest, %add ]
  %total = phi i64 [ 0, %build ], [ %next.total, %add ]
  %end = icmp eq %node addrspace(1)* %at, null
  br i1 %end, label %done, label %add

add:
  %value.at = getelementptr inbounds %node, %node addrspace(1)* %at, i64 0, i32 2
  %value = load i64, i64 addrspace(1)* %value.at
  %next.total = add i64 %total, %value
  %rest.at = getelementptr inbounds %node, %node addrspace(1)* %at, i64 0, i32 1
  %rest = load %node addrspace(1)*, %node addrspace(1)* addrspace(1)* %rest.at
  call void @spgc_poll()
  br label %walk

done:
  ret i64 %total
}
