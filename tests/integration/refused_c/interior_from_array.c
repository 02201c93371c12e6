/* refused: is stored in a local variable */
#include "refused.h"

/* A leaf may keep interior pointers in an array, but not return them. */
SPGC_LEAF __attribute__((noinline)) static long SPGC_MANAGED *
one_of(struct node SPGC_MANAGED *a, struct node SPGC_MANAGED *b, long index) {
  long SPGC_MANAGED *numbers[2];
  numbers[0] = &a->number; /* at: 'numbers' */
  numbers[1] = &b->number;
  return numbers[index & 1];
}

long either(struct node SPGC_MANAGED *a, struct node SPGC_MANAGED *b, long index) {
  return *one_of(a, b, index);
}
