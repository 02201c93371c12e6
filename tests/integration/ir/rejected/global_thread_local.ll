; rejected: references in thread-local variables are not roots
@variable = thread_local global ptr addrspace(1) null
