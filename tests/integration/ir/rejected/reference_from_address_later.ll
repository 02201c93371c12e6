; rejected: a reference is made from an integer
declare void @collect()

define ptr addrspace(1) @f(ptr addrspace(1) %object, i1 %either) gc "statepoint-example" {
entry:
  %address = ptrtoint ptr addrspace(1) %object to i64
  br i1 %either, label %then, label %done
then:
  call void @collect()
  br label %done
done:
  %word = phi i64 [ %address, %then ], [ 0, %entry ]
  %reference = inttoptr i64 %word to ptr addrspace(1)
  ret ptr addrspace(1) %reference
}
