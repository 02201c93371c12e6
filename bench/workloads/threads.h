#ifndef BENCH_WORKLOADS_THREADS_H
#define BENCH_WORKLOADS_THREADS_H

#include <stdint.h>

enum { THREADS_MOST = 64 };

/* The share of `thread`, from 0. */
typedef uint64_t threads_part(unsigned thread, unsigned threads, unsigned size);

/* The calling thread does the first share. */
uint64_t threads_sum(threads_part *part, unsigned threads, unsigned size);

#endif
