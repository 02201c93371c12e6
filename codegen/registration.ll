; A module compiled ahead of time registers itself before the program's own constructors run, and is
; unloaded with the library that holds it. struct spgc_error has 1024 bytes, and its message is at
; offset 16.

declare i32 @spgc_module_register(ptr, i64, ptr)
declare void @spgc_module_unload(ptr)
declare i32 @dprintf(i32, ptr, ...)
declare void @abort() noreturn

@spgc.registration.failed = private unnamed_addr constant [39 x i8]
    c"spgc: fatal: module %s rejected: %.*s\0A\00"

define void @spgc.module.register(ptr %record, ptr %name) noinline {
entry:
  %error = alloca [1024 x i8], align 8
  %result = call i32 @spgc_module_register(ptr %record, i64 0, ptr %error)
  %registered = icmp eq i32 %result, 0
  br i1 %registered, label %done, label %fail

fail:
  %message = getelementptr i8, ptr %error, i64 16
  call i32 (i32, ptr, ...) @dprintf(i32 2, ptr @spgc.registration.failed, ptr %name, i32 511,
  ptr %message)
  call void @abort()
  unreachable

done:
  ret void
}

define void @spgc.module.unload(ptr %record) noinline {
  call void @spgc_module_unload(ptr %record)
  ret void
}
