/* Mechanisms that SPGC_OPTIONS=without=NAME+NAME leaves out, for bench/ablation only. */
#ifndef SPGC_GC_POLICY_WITHOUT_H
#define SPGC_GC_POLICY_WITHOUT_H

#include "spgc/heap.h"

/* In the order of gc/options.c. */
enum spgc_without {
  SPGC_WITHOUT_PREDICTION = 1 << 0,   /* no promotion in place */
  SPGC_WITHOUT_STICKY_MARKS = 1 << 1, /* every marking is full */
  SPGC_WITHOUT_WATERMARK = 1 << 2,    /* every collection visits all frames */
  SPGC_WITHOUT_BORN_OLD = 1 << 3,     /* mutators do not allocate in holes */
  SPGC_WITHOUT_END = 1 << 4,
};

static inline bool spgc_is_without(const struct spgc_options *options,
                                   enum spgc_without mechanism) {
  return (options->without & (uint32_t)mechanism) != 0;
}

#endif
