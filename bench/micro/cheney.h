/* The yardstick: Cheney's algorithm between two areas, with nothing that a collector has to know
 * beside it. */
#ifndef SPGC_BENCH_MICRO_CHENEY_H
#define SPGC_BENCH_MICRO_CHENEY_H

#include <stddef.h>
#include <stdint.h>

struct cheney_space {
  uintptr_t start, size;
};

/* Copies what hangs on `root`, an object of `from`, to `to`; answers how many bytes that is. */
size_t cheney_copy(struct cheney_space from, uintptr_t to, uintptr_t root);

#endif
