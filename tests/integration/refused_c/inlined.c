/* refused: a cast between a reference and an ordinary pointer */
#include "refused.h"

static inline __attribute__((always_inline)) long *plain(struct node SPGC_MANAGED *node) {
  return (long *)node; /* at: */
}

long first(struct node SPGC_MANAGED *object) {
  long *words = plain(object);
  return words[2];
}
