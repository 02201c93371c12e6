/* Ranges of numeric options, for SPGC_OPTIONS and spgc_start. */
#ifndef SPGC_GC_OPTION_RANGES_H
#define SPGC_GC_OPTION_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spgc_ranged_option {
  SPGC_RANGED_LIMIT, /* bytes */
  SPGC_RANGED_NURSERY,
  SPGC_RANGED_GROWTH, /* percent */
  SPGC_RANGED_THREADS,
  SPGC_RANGED_OVERHEAD,
};

enum { SPGC_RANGE_TEXT_BYTES = 80 };

/* 0 is always in range. */
bool spgc_option_is_in_range(enum spgc_ranged_option option, uint64_t value);

/* A sentence. */
void spgc_option_range_describe(enum spgc_ranged_option option, char text[SPGC_RANGE_TEXT_BYTES]);

#endif
