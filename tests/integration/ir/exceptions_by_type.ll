; A landing pad with C++'s own personality is entered for the type it names only.
declare i32 @__gxx_personality_v0(...)
declare i32 @spgc_personality(...)
declare ptr @spgc_exception() "gc-leaf-function"
declare i64 @catch_in_cxx(ptr)
declare i64 @catch_last_in_cxx()
declare void @throw_from_cxx(i64) noreturn
declare void @throw_text_from_cxx() noreturn
declare ptr addrspace(1) @spgc_allocate(ptr)

%spgc_type = type { i32, i32, i32, i32, ptr, i32, i32, ptr, ptr }
@node = internal constant %spgc_type { i32 24, i32 0, i32 0, i32 0, ptr null, i32 0, i32 0,
    ptr null, ptr null }
@_ZTIl = external constant ptr

define i64 @catch_number(i64 %n) noinline gc "statepoint-example" personality
    ptr @__gxx_personality_v0 {
entry:
  %object = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %field = getelementptr i8, ptr addrspace(1) %object, i64 8
  store i64 %n, ptr addrspace(1) %field
  %is.number = icmp ne i64 %n, 0
  br i1 %is.number, label %number, label %text

number:
  invoke void @throw_from_cxx(i64 %n) to label %never unwind label %handler
text:
  invoke void @throw_text_from_cxx() to label %never unwind label %handler
never:
  unreachable

handler:
  %pad = landingpad token catch ptr @_ZTIl
  %thrown = call i64 @catch_last_in_cxx()
  %more = call ptr addrspace(1) @spgc_allocate(ptr @node)
  %again = getelementptr i8, ptr addrspace(1) %object, i64 8
  %value = load i64, ptr addrspace(1) %again
  ret i64 %value
}

define i64 @catch_other(i64 %n) gc "statepoint-example" personality ptr @spgc_personality {
  %r = invoke i64 @catch_number(i64 %n) to label %normal unwind label %handler
normal:
  ret i64 %r
handler:
  %pad = landingpad token catch ptr null
  %exception = call ptr @spgc_exception()
  %thrown = call i64 @catch_in_cxx(ptr %exception)
  ret i64 -1
}
