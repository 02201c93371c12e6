; rejected: thread-local variables are no roots
@variable = external thread_local global { i64, ptr addrspace(1) }
