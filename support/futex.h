/* Sleeps until a word changes (futex(2)), for rare waits: the waking thread pays nothing if none
 * waits. Not a cancellation point. A wait may end without a reason, so check the word again. */
#ifndef SPGC_SUPPORT_FUTEX_H
#define SPGC_SUPPORT_FUTEX_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline void spgc_futex_wait(_Atomic uint32_t *word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

static inline void spgc_futex_wake(_Atomic uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

#endif
