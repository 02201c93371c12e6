/* Loops in generated code (managed.c). Plain C sees references as words. */
#ifndef SPGC_BENCH_MICRO_MANAGED_H
#define SPGC_BENCH_MICRO_MANAGED_H

#ifdef MANAGED
#include "spgc/managed.h"
#define REFERENCE SPGC_MANAGED
#else
#include <stdint.h>
#define REFERENCE
#endif

/* 24 bytes. */
struct pair {
  const void *type;
  struct pair REFERENCE *left, *right;
};

/* Returns the last of `count` pairs. */
struct pair REFERENCE *managed_allocate(uint64_t count, struct pair REFERENCE *left,
                                        struct pair REFERENCE *right);

/* `depth` levels below its root, children before their parents. */
struct pair REFERENCE *managed_tree(unsigned depth);

struct pairs {
  const void *type;
  uint64_t length;
  struct pair REFERENCE *items[];
};

enum { PAIRS_LENGTH_BITS = 14 };

struct pairs REFERENCE *managed_array(void);

/* Pseudo-random places of an array of 1 << PAIRS_LENGTH_BITS. */
void managed_store(uint64_t count, struct pairs REFERENCE *array, struct pair REFERENCE *pair);

/* The top bits are the next place. */
static inline uint64_t place_after(uint64_t place) {
  return place * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

#endif
