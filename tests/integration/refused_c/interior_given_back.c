/* refused: an interior pointer is passed to a leaf */
#include "refused.h"

SPGC_LEAF __attribute__((noinline)) static long SPGC_MANAGED *later(long SPGC_MANAGED *first,
                                                                    long SPGC_MANAGED *second) {
  return *first < *second ? second : first;
}

long latest(struct node SPGC_MANAGED *a, struct node SPGC_MANAGED *b) {
  return *later(&a->number, &b->number); /* at: */
}
