/* Values: words that are a reference or a number, for languages whose variables hold either.
 *
 * A `spgc_value` is a reference by its type, so the collector updates it everywhere: in variables,
 * parameters, results, and objects (at offsets of the descriptor). It leaves numbers alone, because
 * no object has such an address (spgc/ref.h). Declare fields and variables as `spgc_value`, not as
 * a union or an integer.
 *
 * The encoding of the four kinds, of which no two share a word:
 *
 *   double      its bits + 2^49; every NaN is the positive quiet one
 *               0x0002000000000000 to 0xFFF2000000000000
 *   integer n   2 n + 1, if n has 48 bits (-2^47 <= n < 2^47)
 *               odd, below 2^48 or above 0xFFFF000000000000
 *   constant k  8 k + 2, for 0 <= k < 2^43: false, true, nil, characters ...
 *               below 2^46, 2 modulo 8
 *   reference   0 (null) or an object's address: a multiple of 8, below 2^47
 *
 * A language without doubles may use integers of 63 bits (-2^62 <= n < 2^62), if it asks first
 * whether a word is an integer, and never whether it is a double.
 *
 * It is a pointer to an incomplete type, because every calling convention passes a pointer as one.
 * Compare two with spgc_value_equal. In managed C and C++ (include spgc/managed.h first) it is an
 * SPGC_MANAGED pointer, which never goes stale in a variable: cast it to the object's type and
 * back. In a C runtime a reference goes stale at the next safepoint: keep it in a handle.
 *
 * The functions are for any thread in any state and are not safepoints. The result of a reader for
 * another kind of value is meaningless. */
#ifndef SPGC_VALUE_H
#define SPGC_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "spgc/ref.h"

/* Leaves in managed code, inlined at every level. */
#ifdef SPGC_MANAGED
#define SPGC_VALUE_FUNCTION SPGC_LEAF static inline __attribute__((always_inline))
#else
#define SPGC_VALUE_FUNCTION SPGC_EXPORTED_INLINE
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A reference, an integer, a double or a constant. */
#ifdef SPGC_MANAGED
typedef struct spgc_value_target SPGC_MANAGED *spgc_value;
#else
typedef struct spgc_value_target *spgc_value;
#endif

#define SPGC_VALUE_DOUBLES UINT64_C(0x0002000000000000)     /* the first double */
#define SPGC_VALUE_LAST_DOUBLE UINT64_C(0xFFF2000000000000) /* negative infinity */

/* The bits of a word. A reference's are meaningless after the next safepoint, except the low three
 * and the upper 17. */
SPGC_VALUE_FUNCTION uint64_t spgc_value_bits(spgc_value value) {
  return (uint64_t)(uintptr_t)value;
}

/* The reference may be null. Managed C casts an object's pointer instead. */
SPGC_VALUE_FUNCTION spgc_value spgc_value_from_ref(struct spgc_ref ref) {
  return (spgc_value)ref.word;
}

/* False for null. One comparison: the word below an object's is 7 modulo 8 and has no upper bit,
 * and the word below null has all of them. */
SPGC_VALUE_FUNCTION bool spgc_value_is_object(spgc_value value) {
  return ((spgc_value_bits(value) - 1) & UINT64_C(0xFFFF000000000007)) == 7;
}

/* Managed C casts the value to the object's type instead. */
SPGC_VALUE_FUNCTION struct spgc_ref spgc_value_ref(spgc_value value) {
  struct spgc_ref ref = {(spgc_word)value};
  return ref;
}

/* The integer has 48 bits, or 63 in a language without doubles; upper bits are lost. */
SPGC_VALUE_FUNCTION spgc_value spgc_value_from_integer(int64_t integer) {
  return (spgc_value)(uintptr_t)((uint64_t)integer << 1 | 1);
}

/* Whether the value is an integer of 48 bits. */
SPGC_VALUE_FUNCTION bool spgc_value_is_integer(spgc_value value) {
  uint64_t bits = spgc_value_bits(value);
  return (bits & 1) != 0 && (bits < SPGC_VALUE_DOUBLES || bits > UINT64_C(0xFFFF000000000000));
}

/* Whether the value is an integer, in a language without doubles. */
SPGC_VALUE_FUNCTION bool spgc_value_is_tagged(spgc_value value) {
  return (spgc_value_bits(value) & 1) != 0;
}

/* The integer. */
SPGC_VALUE_FUNCTION int64_t spgc_value_integer(spgc_value value) {
  return (int64_t)spgc_value_bits(value) >> 1;
}

/* The sign and the payload of a NaN are lost. */
SPGC_VALUE_FUNCTION spgc_value spgc_value_from_double(double number) {
  union {
    double number;
    uint64_t bits;
  } same;
  same.number = number == number ? number : __builtin_nan("");
  return (spgc_value)(uintptr_t)(same.bits + SPGC_VALUE_DOUBLES);
}

/* Whether the value is a double. */
SPGC_VALUE_FUNCTION bool spgc_value_is_double(spgc_value value) {
  return spgc_value_bits(value) - SPGC_VALUE_DOUBLES <= SPGC_VALUE_LAST_DOUBLE - SPGC_VALUE_DOUBLES;
}

/* The double. */
SPGC_VALUE_FUNCTION double spgc_value_double(spgc_value value) {
  union {
    uint64_t bits;
    double number;
  } same;
  same.bits = spgc_value_bits(value) - SPGC_VALUE_DOUBLES;
  return same.number;
}

/* The number must be below 2^43. */
SPGC_VALUE_FUNCTION spgc_value spgc_value_from_constant(uint64_t constant) {
  return (spgc_value)(uintptr_t)(constant << 3 | 2);
}

/* Whether the value is a constant. */
SPGC_VALUE_FUNCTION bool spgc_value_is_constant(spgc_value value) {
  uint64_t bits = spgc_value_bits(value);
  return (bits & 7) == 2 && bits < SPGC_VALUE_DOUBLES;
}

/* The constant's number. */
SPGC_VALUE_FUNCTION uint64_t spgc_value_constant(spgc_value value) {
  return spgc_value_bits(value) >> 3;
}

/* Whether both are the same object, or the same number of one kind. Doubles are compared by their
 * bits: NaN is equal to itself, and 0.0 is not -0.0. In a C runtime, valid only for values read
 * since the last safepoint. */
SPGC_VALUE_FUNCTION bool spgc_value_equal(spgc_value a, spgc_value b) {
  return a == b;
}

#ifdef __cplusplus
}
#endif

#endif
