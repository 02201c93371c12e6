/* References and slots.
 *
 * A `struct spgc_ref` is a reference: the address of an object's first word, or an immediate, which
 * the collector ignores. A word that is a multiple of 8 in the heap's reserved range counts as a
 * reference, and must be an object's address. The range is between 2^16 and 2^47 and differs from
 * run to run. So these words are always immediates:
 *
 *   any of the low three bits set      integers tagged in a low bit
 *   any of the upper 17 bits set       NaN-boxed values, doubles, negative numbers
 *   below 2^16                         null, small numbers
 *
 * So are pointers to memory outside the heap. Any other integer may look like an object.
 * verify=full reports one in the range that is not an object's address; one that is changes when
 * the object moves.
 *
 * A `struct spgc_slot` is the address of a reference. They are types of their own, so that
 * compilers tell them from each other and from integers.
 *
 * Both are passed in one integer register, like `ptr addrspace(1)`: a C function that generated
 * code calls takes and returns references as `struct spgc_ref`.
 *
 * A reference in a C variable goes stale at the next safepoint: any call that may allocate,
 * collect, or wait for a collection. Keep it in a handle (spgc/handle.h) across such a call. In
 * managed C (spgc/managed.h) it never goes stale.
 *
 * The functions are for any thread in any state and are not safepoints; spgc_slot_load for a slot
 * of an object is for attached threads. */
#ifndef SPGC_REF_H
#define SPGC_REF_H

#include <stdbool.h>
#include <stdint.h>

/* Functions that the headers define are static inline. The libraries also export them, for
 * languages that cannot compile C: give a generator of bindings -DSPGC_EXPORTED_INLINE=extern.
 *
 * Not exported are spgc_options_default, spgc_statistics_read and spgc_lower_options_default,
 * because the size they write is the program's. Such a language writes the member `size`, and calls
 * the function before it in the header. */
#ifndef SPGC_EXPORTED_INLINE
#define SPGC_EXPORTED_INLINE static inline
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The word of a reference; in managed C (spgc/managed.h) a reference itself. */
#ifdef SPGC_MANAGED
typedef void SPGC_MANAGED *spgc_word;
#else
typedef uintptr_t spgc_word;
#endif

/* A reference, or an immediate. */
struct spgc_ref {
  spgc_word word;
};

/* The address of a reference. */
struct spgc_slot {
  struct spgc_ref *location;
};

/* For immediates and words read elsewhere. */
SPGC_EXPORTED_INLINE struct spgc_ref spgc_ref_from_word(uintptr_t word) {
  struct spgc_ref ref = {(spgc_word)word};
  return ref;
}

/* Null. */
SPGC_EXPORTED_INLINE struct spgc_ref spgc_ref_null(void) {
  return spgc_ref_from_word(0);
}

/* Whether a reference is null. */
SPGC_EXPORTED_INLINE bool spgc_ref_is_null(struct spgc_ref ref) {
  return ref.word == 0;
}

/* Identity. Valid only for references read since the last safepoint. */
SPGC_EXPORTED_INLINE bool spgc_ref_equal(struct spgc_ref a, struct spgc_ref b) {
  return a.word == b.word;
}

#ifndef SPGC_MANAGED
/* The object's memory, for fields that are not references. Valid until the next safepoint. Managed
 * C reaches fields through its own pointers. */
SPGC_EXPORTED_INLINE void *spgc_ref_memory(struct spgc_ref ref) {
  return (void *)ref.word;
}
#endif

/* The slot at an address, such as a field's. */
SPGC_EXPORTED_INLINE struct spgc_slot spgc_slot_at(void *location) {
  struct spgc_slot slot = {(struct spgc_ref *)location};
  return slot;
}

/* A relaxed load, because another thread may store at the same time. */
SPGC_EXPORTED_INLINE struct spgc_ref spgc_slot_load(struct spgc_slot slot) {
  struct spgc_ref ref = {__atomic_load_n(&slot.location->word, __ATOMIC_RELAXED)};
  return ref;
}

#ifdef __cplusplus
}
#endif

#endif
