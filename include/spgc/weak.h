/* Weak fields: a word of an object that refers to another without keeping it alive.
 *
 * Any word of an object that its descriptor does not list as a reference can be bound. While it is
 * bound, the collector updates it when its referent moves. When only weak fields, keys of weak maps
 * and finalizers lead to the referent, the collector writes null into all weak fields with that
 * referent at once, with the world stopped.
 *
 * Weak fields are cleared before objects with a finalizer are queued and kept alive
 * (spgc/finalizer.h), so a weak field never leads to an object that waits for its finalizer, nor to
 * one that is reachable only from such an object.
 *
 * Reading a weak field needs no barrier: when the collector decides, a reference that was read is a
 * root or in the heap.
 *
 * Unless its comment says otherwise, a function is for attached threads and is not a safepoint. */
#ifndef SPGC_WEAK_H
#define SPGC_WEAK_H

#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Binds the word at byte `offset` of `object` to `referent`, instead of its former referent, until
 * the object dies. A referent outside the heap (null, an immediate) is stored, and the field
 * becomes unbound. Errors: SPGC_ERROR_INVALID_ARGUMENT if `object` is not in the heap, or if
 * `offset` is not a word after header and length that the descriptor does not list;
 * SPGC_ERROR_NO_MEMORY. */
enum spgc_result spgc_weak_bind(struct spgc_ref object, uint32_t offset, struct spgc_ref referent,
                                struct spgc_error *error);

#ifndef SPGC_MANAGED
/* The referent, or null after it was found unreachable. Generated code, managed C included, loads
 * the word itself. It may store null in it; any other reference must be bound. */
SPGC_EXPORTED_INLINE struct spgc_ref spgc_weak_get(struct spgc_ref object, uint32_t offset) {
  return spgc_slot_load(spgc_slot_at((char *)spgc_ref_memory(object) + offset));
}
#endif

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
