/* Weak fields: a word of an object that refers to another without keeping it alive.
 *
 * Any word of an object that its descriptor does not list as a reference can be bound. While it is
 * bound the collector lets it follow its referent, and writes null when the referent is found
 * unreachable: in all weak fields that refer to it at once, within the collection that finds it,
 * with the world stopped. An object that only weak fields, the keys of weak maps and finalizers
 * lead to is unreachable.
 *
 * Order within a collection: weak fields are cleared first, then objects with a finalizer are
 * queued and kept (spgc/finalizer.h). A weak field therefore never leads to an object that waits
 * for its finalizer, nor to one that is reachable from such an object alone.
 *
 * Reading a weak field needs no barrier, at no time: the reference read is a root or lies in the
 * heap like any other when the collector decides what was reached, which it does while the world is
 * stopped.
 */
#ifndef SPGC_WEAK_H
#define SPGC_WEAK_H

#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/result.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Binds the word at byte `offset` of `object` to `referent`, instead of what it was bound to
 * before. A referent outside the heap (null, an immediate) is stored, and the field is not bound.
 * The binding ends with the object. Errors: SPGC_ERROR_INVALID_ARGUMENT when `object` is not in the
 * heap, or `offset` is no word of it behind header and length that its descriptor leaves alone;
 * SPGC_ERROR_NO_MEMORY. Not a safepoint. Attached threads only. */
enum spgc_result spgc_weak_bind(struct spgc_ref object, uint32_t offset, struct spgc_ref referent,
                                struct spgc_error *error);

/* The referent, or null once it was found unreachable. Generated code may load the word itself, and
 * may store null in it; any other reference must be bound. Not a safepoint. */
static inline struct spgc_ref spgc_weak_get(struct spgc_ref object, uint32_t offset) {
  return spgc_slot_load(spgc_slot_at((char *)spgc_ref_memory(object) + offset));
}

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
