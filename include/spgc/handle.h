/* Handles: slots in which C code keeps references across safepoints. Scoped handles end with their
 * scope, global ones when they are released.
 *
 * By default, functions are for attached threads and are not safepoints. */
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
  struct spgc_ref *slot; /* the collector updates *slot, which does not move; only spgc_handle_set
                            writes it otherwise */
};

/* Size and alignment in bytes of a chunk of slots. A chunk's first byte is non-zero if a slot was
 * written since the last collection: a minor collection visits no other chunks. */
#define SPGC_HANDLE_CHUNK_BYTES 8192

/* A height of the handle stack. Each fiber has its own stack. */
struct spgc_scope {
  size_t height;
};

/* Opens a scope. Scopes nest. */
struct spgc_scope spgc_scope_open(void);

/* Ends all scoped handles made since `scope` was opened, also in inner scopes that an exception has
 * left. Their contents are meaningless afterwards; with the option `poison` not an address. */
void spgc_scope_close(struct spgc_scope scope);

/* Makes a handle in the innermost open scope. Aborts if the process is out of memory. */
struct spgc_handle spgc_handle_make(struct spgc_ref ref);

/* Makes and releases a handle. Its `slot` is NULL if the process is out of memory. A release is
 * fatal if the handle is scoped or was released before, unless its slot has been reused; undefined
 * if the library did not make the slot. Any thread, any state. */
struct spgc_handle spgc_global_handle_make(struct spgc_ref ref);
void spgc_global_handle_release(struct spgc_handle handle);

/* The reference in a slot. */
SPGC_EXPORTED_INLINE struct spgc_ref spgc_handle_get(struct spgc_handle handle) {
  return *handle.slot;
}

/* Replaces the reference in a slot. */
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
