/* Weak fields: a word of an object that refers to another without keeping it alive.
 *
 * Any word of an object that its descriptor does not list as a reference can be bound. Then the
 * collector updates it when its referent moves. When only weak fields, keys of weak maps and
 * finalizers lead to the referent, the collector writes null into all its weak fields at once, with
 * the world stopped.
 *
 * Weak fields are cleared before objects are queued for finalizers (spgc/finalizer.h), so they
 * never lead to an object that waits for its finalizer, nor to one that is reachable only from
 * there.
 *
 * Reading a weak field needs no barrier: when the collector decides, a reference that was read is a
 * root or in the heap.
 *
 * By default, functions are for attached threads and are not safepoints. */
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
 * becomes unbound. Errors: SPGC_ERROR_INVALID_ARGUMENT if `object` is not in the heap, or `offset`
 * is not that of such a word after header and length; SPGC_ERROR_NO_MEMORY. */
enum spgc_result spgc_weak_bind(struct spgc_ref object, uint32_t offset, struct spgc_ref referent,
                                struct spgc_error *error);

#ifndef SPGC_MANAGED
/* The referent, or null after it was found unreachable. Generated code, managed C included, loads
 * the word itself, and may store null in it; other references must be bound. */
SPGC_EXPORTED_INLINE struct spgc_ref spgc_weak_get(struct spgc_ref object, uint32_t offset) {
  return spgc_slot_load(spgc_slot_at((char *)spgc_ref_memory(object) + offset));
}
#endif

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
