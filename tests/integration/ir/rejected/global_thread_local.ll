; rejected: thread-local variables are no roots
@variable = thread_local global ptr addrspace(1) null
