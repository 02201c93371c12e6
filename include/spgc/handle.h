/* Handles, in which C code keeps references across safepoints.
 *
 * A handle names a slot that the collector knows. Scoped handles live on a stack per thread and end
 * with their scope. Global handles live until they are released, by any thread. */
#ifndef SPGC_HANDLE_H
#define SPGC_HANDLE_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/ref.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A handle, scoped or global. */
struct spgc_handle {
  struct spgc_ref *slot; /* the collector updates *slot; the slot itself does not move. Written by
                            spgc_handle_set only */
};

/* Bytes of a chunk of slots, at a multiple of as many. The first byte of a chunk is not 0 if one of
 * its slots was written since the last collection: a minor collection visits no other slots. */
#define SPGC_HANDLE_CHUNK_BYTES 8192

/* A height of the handle stack. Each fiber has a handle stack of its own. */
struct spgc_scope {
  size_t height;
};

/* Opens a scope. Scopes nest. Attached threads only. Not a safepoint. */
struct spgc_scope spgc_scope_open(void);

/* Ends every scoped handle made since `scope` was opened, also in inner scopes that an exception
 * has left. The contents of such a handle are meaningless afterwards; with the option `poison` they
 * are no address. Attached threads only. Not a safepoint. */
void spgc_scope_close(struct spgc_scope scope);

/* Makes a handle in the innermost open scope. Aborts if the process is out of memory. Attached
 * threads only. Not a safepoint. */
struct spgc_handle spgc_handle_make(struct spgc_ref ref);

/* Makes a handle that lives until it is released. Its `slot` is NULL if the process is out of
 * memory. A release is fatal if the handle is not a global one, or was released already (unless the
 * slot was given out again since). Any thread, any state. Not safepoints. */
struct spgc_handle spgc_global_handle_make(struct spgc_ref ref);
void spgc_global_handle_release(struct spgc_handle handle);

/* Returns the handle's reference. Attached threads only. Not a safepoint. */
SPGC_EXPORTED_INLINE struct spgc_ref spgc_handle_get(struct spgc_handle handle) {
  return *handle.slot;
}

/* Sets the handle's reference. Attached threads only. Not a safepoint. */
SPGC_EXPORTED_INLINE void spgc_handle_set(struct spgc_handle handle, struct spgc_ref ref) {
  char *chunk = (char *)((uintptr_t)handle.slot & ~(uintptr_t)(SPGC_HANDLE_CHUNK_BYTES - 1));
  *handle.slot = ref;
  __atomic_store_n(chunk, 1, __ATOMIC_RELAXED);
}

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
