/* Places of a frame's values. Registers have the processor's DWARF numbers (machine.h).
 *
 *   struct location         a run of words that hold references: a stack slot, words of a variable,
 *                           or the place where the frame's callee-saved register `reg` was saved
 *   struct deopt_location   a value for a deoptimiser; the collector does not read it */
#ifndef SPGC_STACKWALK_LOCATION_H
#define SPGC_STACKWALK_LOCATION_H

#include <stdbool.h>
#include <stdint.h>

#include "stackwalk/machine.h"

enum { WORD_SIZE = 8 };

struct location {
  int32_t offset;       /* relative to the value of `reg`; 0 if in_register */
  uint16_t words;       /* >= 1, for vectors of references */
  uint8_t reg;          /* the stack pointer or a callee-saved register */
  bool in_register : 1; /* words == 1 */
  bool is_variable : 1; /* its address escapes: callees may write it */
};

struct derived_location {
  struct location location;
  uint32_t base;  /* an index: word k derives from word k of that base */
  bool rewritten; /* false if it is a base, or was listed before */
};

struct deopt_location {
  uint8_t kind; /* enum spgc_location_kind without SPGC_LOCATION_CONSTANT_INDEX */
  uint16_t size;
  uint16_t reg;
  int64_t value; /* the constant, or the offset from `reg` */
};

/* Overlapping runs are neighbours in this order. */
static inline int location_compare(const struct location *a, const struct location *b) {
  if (a->in_register != b->in_register)
    return a->in_register ? -1 : 1;
  if (a->reg != b->reg)
    return a->reg < b->reg ? -1 : 1;
  if (a->offset != b->offset)
    return a->offset < b->offset ? -1 : 1;
  return (a->words > b->words) - (a->words < b->words);
}

static inline bool location_equal(const struct location *a, const struct location *b) {
  return location_compare(a, b) == 0;
}

/* Whether different runs share a byte. Runs relative to different registers never do, because LLVM
 * gives a stack object the same register and offset everywhere. */
static inline bool location_clash(const struct location *a, const struct location *b) {
  if (a->in_register != b->in_register || a->reg != b->reg || location_equal(a, b))
    return false;
  return (int64_t)a->offset < (int64_t)b->offset + (int64_t)b->words * WORD_SIZE &&
         (int64_t)b->offset < (int64_t)a->offset + (int64_t)a->words * WORD_SIZE;
}

#endif
