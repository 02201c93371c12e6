; rejected: it uses references across calls and has no gc attribute
define i64 @f(ptr addrspace(1) %object)
    "instrument-function-entry-inlined"="__cyg_profile_func_enter" {
  %value = load i64, ptr addrspace(1) %object
  ret i64 %value
}
