; rejected: another processor's
define target("aarch64.svcount") @f(target("aarch64.svcount") %x)
    { ret target("aarch64.svcount") %x }
