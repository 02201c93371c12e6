; rejected: the runtime's function has another type, or is defined here
@spgc_poll_slow = global i64 0
