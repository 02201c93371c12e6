; LLVM 19: unable to allocate function argument #1
define target("aarch64.svcount") @f(target("aarch64.svcount") %x)
    { ret target("aarch64.svcount") %x }
