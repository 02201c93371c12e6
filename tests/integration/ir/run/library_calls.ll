; run: 1 = 1024115
; The C library reads the characters of strings in place, between allocations that move them.
%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
@string = internal constant %spgc_type { i32 16, i32 1, i32 1, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }
@abcd = internal addrspace(1) constant { ptr, i64, [5 x i8] }
    { ptr @string, i64 5, [5 x i8] c"abcd\00" }, align 8
declare ptr addrspace(1) @spgc_allocate_array(ptr, i64)
declare i64 @strlen(ptr addrspace(1))
declare i32 @strcmp(ptr addrspace(1), ptr addrspace(1))
declare i32 @strncmp(ptr addrspace(1), ptr addrspace(1), i64)
declare i32 @memcmp(ptr addrspace(1), ptr addrspace(1), i64)
declare i32 @atoi(ptr addrspace(1))

define ptr addrspace(1) @make(i32 %characters) noinline gc "statepoint-example" {
  %o = call ptr addrspace(1) @spgc_allocate_array(ptr @string, i64 5)
  %text = getelementptr i8, ptr addrspace(1) %o, i64 16
  store i32 %characters, ptr addrspace(1) %text
  ret ptr addrspace(1) %o
}

; No gc: it calls leaves only.
define i64 @length(ptr addrspace(1) %o) noinline {
  %text = getelementptr i8, ptr addrspace(1) %o, i64 16
  %length = call i64 @strlen(ptr addrspace(1) %text)
  ret i64 %length
}

; Every call stands behind an allocation, so the strings have moved since the call before.
define i64 @managed_run(i64 %n) gc "statepoint-example" {
  %a = call ptr addrspace(1) @make(i32 1684234849) ; "abcd"
  %b = call ptr addrspace(1) @make(i32 1701012065) ; "abce"
  %at.a = getelementptr i8, ptr addrspace(1) %a, i64 16
  %at.b = getelementptr i8, ptr addrspace(1) %b, i64 16
  %four = call i64 @strlen(ptr addrspace(1) %at.a)
  %c = call ptr addrspace(1) @make(i32 3289137) ; "102"
  %at.c = getelementptr i8, ptr addrspace(1) %c, i64 16
  %at.static = getelementptr i8, ptr addrspace(1) @abcd, i64 16
  %equal = call i32 @strcmp(ptr addrspace(1) %at.a, ptr addrspace(1) %at.static)
  %is.equal = icmp eq i32 %equal, 0
  %d = call ptr addrspace(1) @make(i32 0)
  %differ = call i32 @memcmp(ptr addrspace(1) %at.a, ptr addrspace(1) %at.b, i64 4)
  %is.less = icmp slt i32 %differ, 0
  %e = call ptr addrspace(1) @make(i32 0)
  %three = call i32 @strncmp(ptr addrspace(1) %at.a, ptr addrspace(1) %at.b, i64 3)
  %begin = icmp eq i32 %three, 0
  %number = call i32 @atoi(ptr addrspace(1) %at.c)
  %at.two = getelementptr i8, ptr addrspace(1) %b, i64 18
  store i8 0, ptr addrspace(1) %at.two
  %f = call ptr addrspace(1) @make(i32 0)
  %two = call i64 @strlen(ptr addrspace(1) %at.b)
  %again = call i64 @length(ptr addrspace(1) %b)
  %hundred = select i1 %is.equal, i64 100, i64 0
  %ten = select i1 %is.less, i64 10, i64 0
  %one = zext i1 %begin to i64
  %wide = zext i32 %number to i64
  %thousands = mul i64 %wide, 10000
  %lengths = mul i64 %four, 1000
  %both = add i64 %two, %again
  %s1 = add i64 %thousands, %lengths
  %s2 = add i64 %s1, %hundred
  %s3 = add i64 %s2, %ten
  %s4 = add i64 %s3, %one
  %s5 = add i64 %s4, %both
  %zero = call i64 @length(ptr addrspace(1) %d)
  %s6 = add i64 %s5, %zero
  ret i64 %s6
}
