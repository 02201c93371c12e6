/* Lox values (abi.h) in C. A struct spgc_ref here is any value, not only a reference. */
#ifndef LOX_RUNTIME_VALUE_H
#define LOX_RUNTIME_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "frontend-demo/runtime/abi.h"

static const uint64_t lox_number_base = UINT64_C(1) << LOX_NUMBER_SHIFT;

static inline struct spgc_ref lox_nothing(void) {
  return spgc_ref_from_word(LOX_VALUE_NOTHING);
}

static inline struct spgc_ref lox_nil(void) {
  return spgc_ref_from_word(LOX_VALUE_NIL);
}

static inline struct spgc_ref lox_boolean(bool truth) {
  return spgc_ref_from_word(truth ? LOX_VALUE_TRUE : LOX_VALUE_FALSE);
}

/* Replaces any NaN by the encoding's: quiet, positive, no payload. */
static inline struct spgc_ref lox_number(double number) {
  uint64_t bits = UINT64_C(0x7ff8000000000000);
  if (number == number)
    memcpy(&bits, &number, sizeof bits);
  return spgc_ref_from_word(bits + lox_number_base);
}

static inline bool lox_is_nothing(struct spgc_ref value) {
  return value.word == LOX_VALUE_NOTHING;
}

static inline bool lox_is_nil(struct spgc_ref value) {
  return value.word == LOX_VALUE_NIL;
}

static inline bool lox_is_number(struct spgc_ref value) {
  return value.word >= lox_number_base;
}

static inline bool lox_is_object(struct spgc_ref value) {
  return value.word >= LOX_FIRST_OBJECT && value.word < lox_number_base;
}

/* Needs a number. */
static inline double lox_to_double(struct spgc_ref value) {
  uint64_t bits = value.word - lox_number_base;
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

/* Needs an object. */
static inline const struct lox_type *lox_type_of(struct spgc_ref object) {
  return *(const struct lox_type *const *)spgc_ref_memory(object);
}

static inline bool lox_is_kind(struct spgc_ref value, enum lox_kind_of_object kind) {
  return lox_is_object(value) && lox_type_of(value)->kind == kind;
}

_Static_assert(sizeof(struct spgc_ref) == sizeof(uint64_t), "a value is one 64-bit word");
_Static_assert(sizeof(double) == sizeof(uint64_t), "a number fits a word");
_Static_assert(LOX_VALUE_TRUE < LOX_FIRST_OBJECT, "constants are not addresses");

#endif
