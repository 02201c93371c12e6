/* Handles: how C code holds references across safepoints.
 *
 * A handle names a slot the collector knows. Scoped handles live in a per-thread stack and end with
 * their scope; global handles live until they are released, in any thread.
 */
#ifndef SPGC_HANDLE_H
#define SPGC_HANDLE_H

#include <stddef.h>

#include "spgc/ref.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

struct spgc_handle {
  struct spgc_ref *slot; /* the collector updates *slot; the slot itself does not move */
};

/* The height of the handle stack of the stack that the calling thread runs on: fibers have their
 * own. */
struct spgc_scope {
  size_t height;
};

/* Opens a scope. Scopes nest. Attached threads only. Not a safepoint. */
struct spgc_scope spgc_scope_open(void);

/* Ends every scoped handle made since `scope` was opened, also those of inner scopes that were left
 * by an exception. What a handle holds after that means nothing; with the option `poison` it is no
 * address. */
void spgc_scope_close(struct spgc_scope scope);

/* A handle in the innermost open scope. Aborts when the process is out of memory. Attached threads
 * only. Not a safepoint. */
struct spgc_handle spgc_handle_make(struct spgc_ref ref);

/* A handle that lives until it is released. `slot` is NULL when the process is out of memory.
 * Releasing what is no global handle, or was released and not given out again since, is fatal. Any
 * thread, any state. */
struct spgc_handle spgc_global_handle_make(struct spgc_ref ref);
void spgc_global_handle_release(struct spgc_handle handle);

static inline struct spgc_ref spgc_handle_get(struct spgc_handle handle) {
  return *handle.slot;
}

static inline void spgc_handle_set(struct spgc_handle handle, struct spgc_ref ref) {
  *handle.slot = ref;
}

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
