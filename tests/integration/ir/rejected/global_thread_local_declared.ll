; rejected: references in thread-local variables are not roots
@variable = external thread_local global { i64, ptr addrspace(1) }
