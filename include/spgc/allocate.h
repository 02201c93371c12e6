/* Allocation and reference stores from C. Generated code calls spgc_allocate and
 * spgc_allocate_array by name. The lowering puts these calls in line, and gives the stores of
 * generated code the write barrier that spgc_store has.
 */
#ifndef SPGC_ALLOCATE_H
#define SPGC_ALLOCATE_H

#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/thread.h"
#include "spgc/type.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* A new zeroed object of a type without a tail; with a tail, one of length 0. Null when memory is
 * exhausted (after the out-of-memory hook returned). A safepoint. Attached threads only. */
struct spgc_ref spgc_allocate(const struct spgc_type *type);

/* A new zeroed object whose tail has `length` elements; the length is stored. Null when memory is
 * exhausted or the size does not fit the heap. A safepoint. Attached threads only. */
struct spgc_ref spgc_allocate_array(const struct spgc_type *type, uint64_t length);

/* spgc_allocate_array for a type without references, where the thread's TLAB has room for it; null
 * where it has not, which says nothing about the heap: go on with spgc_allocate_array. What
 * follows header and length is not zeroed. Never a safepoint, so it spares its caller the handles.
 * Attached threads only. */
static inline struct spgc_ref spgc_allocate_array_now(const struct spgc_type *type,
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

/* Stores a reference into a field of a heap object, with the write barrier. Releases: who finds the
 * reference by an acquiring load sees what was written to the object before. Not a safepoint.
 * Attached threads only. */
void spgc_store(struct spgc_slot field, struct spgc_ref value);

/* Exchanges a reference in a field of a heap object, with the write barrier, and returns what was
 * there. Sequentially consistent. Not a safepoint: the result is as good as the references that
 * went in. Attached threads only. */
struct spgc_ref spgc_exchange(struct spgc_slot field, struct spgc_ref value);

/* Stores `value` into a field of a heap object if the field holds *expected, with the write
 * barrier, and returns true. Otherwise *expected becomes what the field holds, and it returns
 * false; never without reason. Words are compared: two references are equal iff they lead to the
 * same object. Sequentially consistent either way. Not a safepoint, so *expected, a C variable,
 * stays right in a loop that only tries again; across a safepoint it goes stale like any other
 * (spgc/ref.h). Attached threads only. */
bool spgc_compare_exchange(struct spgc_slot field, struct spgc_ref *expected,
                           struct spgc_ref value);

/* Number of bytes the object occupies. Attached threads only. */
uint64_t spgc_object_size(struct spgc_ref object);

/* True iff the collector takes the word for a reference (spgc/ref.h): it is a multiple of 8 in the
 * heap's reserved range. Attached threads only. */
bool spgc_is_heap_reference(struct spgc_ref word);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
