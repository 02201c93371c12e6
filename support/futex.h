/* Sleeping until a word changes (futex(2)): for waits that are rare, where who ends them must not
 * pay for it otherwise.
 *
 * Not a cancellation point. Who waits looks at the word again afterwards, because waits end for no
 * reason, too.
 */
#ifndef SPGC_SUPPORT_FUTEX_H
#define SPGC_SUPPORT_FUTEX_H

#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns at once unless the word is `value`. */
static inline void spgc_futex_wait(_Atomic uint32_t *word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

/* Wakes all who wait. */
static inline void spgc_futex_wake(_Atomic uint32_t *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
}

#endif
