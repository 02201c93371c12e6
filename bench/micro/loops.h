/* Untimed loops, whose instructions are counted (bench/instructions). */
#ifndef SPGC_BENCH_MICRO_LOOPS_H
#define SPGC_BENCH_MICRO_LOOPS_H

#include <stdint.h>

extern const struct micro_loop {
  const char *name;
  void (*run)(uint64_t count); /* survivors: a multiple of 16383, which is a tree */
} micro_loops[];
extern const int micro_loop_count;

#endif
