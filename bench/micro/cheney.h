/* The yardstick: Cheney's algorithm between two areas, without a collector's other work. */
#ifndef SPGC_BENCH_MICRO_CHENEY_H
#define SPGC_BENCH_MICRO_CHENEY_H

#include <stddef.h>
#include <stdint.h>

struct cheney_space {
  uintptr_t start, size;
};

size_t cheney_copy(struct cheney_space from, uintptr_t to, uintptr_t root);

#endif
