/* Allocation and stores of references from C. In generated code, the lowering inlines allocations
 * and adds write barriers.
 *
 * By default, functions are for attached threads and are not safepoints. */
#ifndef SPGC_ALLOCATE_H
#define SPGC_ALLOCATE_H

#ifdef SPGC_MANAGED_H
#error "spgc/allocate.h is for C that is not managed: spgc/managed.h declares allocation here"
#endif

#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/thread.h"
#include "spgc/type.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Allocates a zeroed object; if the type has a tail, its length is 0. Returns null when memory is
 * exhausted and the out-of-memory hook has returned. A safepoint. */
struct spgc_ref spgc_allocate(const struct spgc_type *type);

/* Allocates a zeroed object whose tail has `length` elements, and stores the length. Returns null
 * when memory is exhausted or the size exceeds the heap. A safepoint. */
struct spgc_ref spgc_allocate_array(const struct spgc_type *type, uint64_t length);

/* Like spgc_allocate_array, for a type without references, but never a safepoint, so the caller
 * needs no handles. Returns null if the object does not fit the thread's TLAB; call
 * spgc_allocate_array then. Initialises only the header and the length. */
SPGC_EXPORTED_INLINE struct spgc_ref spgc_allocate_array_now(const struct spgc_type *type,
                                                             uint64_t length) {
  uintptr_t object = spgc_thread.cursor;
  uint64_t bytes = (type->size + length * type->element_size + 7) & ~UINT64_C(7);
  if (length > INT32_MAX || object + bytes > spgc_thread.limit)
    return spgc_ref_null();
  spgc_thread.cursor = object + bytes;
  ((const struct spgc_type **)object)[0] = type;
  ((uint64_t *)object)[1] = length;
  return spgc_ref_from_word(object);
}

/* Stores a reference into a field of a heap object, with the write barrier. A release store. A
 * plain store will do before the first safepoint after the object's allocation, if it has at most
 * SPGC_MOST_FRESH_ELEMENTS elements (spgc/thread.h). */
void spgc_store(struct spgc_slot field, struct spgc_ref value);

/* Exchanges the reference in a field of a heap object, with the write barrier, and returns the old
 * one. Sequentially consistent. */
struct spgc_ref spgc_exchange(struct spgc_slot field, struct spgc_ref value);

/* Stores `value` into a field of a heap object if it holds *expected, with the write barrier, and
 * returns true. Otherwise sets *expected to the field's value and returns false, never spuriously.
 * Sequentially consistent in both cases. Not a safepoint, so *expected stays valid in a retry
 * loop. */
bool spgc_compare_exchange(struct spgc_slot field, struct spgc_ref *expected,
                           struct spgc_ref value);

/* The object's size in bytes. */
uint64_t spgc_object_size(struct spgc_ref object);

/* Whether the collector treats the word as a reference (spgc/ref.h). */
bool spgc_is_heap_reference(struct spgc_ref word);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
