; rejected: a variable in addrspace(1)
@variable = addrspace(1) global i64 0
