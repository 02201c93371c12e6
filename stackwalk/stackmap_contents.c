#include "stackwalk/stackmap_contents.h"

/* A pool without elements has a null pointer, to which C forbids adding even 0. */
#define LAST(type, pool, last_count)                                                               \
  ((last_count) != 0 ? (const type *)(pool).data + (pool).count - (last_count)                     \
                     : (const type *)(pool).data)

void spgc_location_pools_point(const struct location_pools *pools, struct frame_description *last) {
  last->bases = LAST(struct location, pools->bases, last->base_count);
  last->derived = LAST(struct derived_location, pools->derived, last->derived_count);
  last->deopts = LAST(struct deopt_location, pools->deopts, last->deopt_count);
}

static void settle(struct stackmap_contents *contents) {
  struct frame_description *frames = contents->frames.data;
  struct location_pools up_to = contents->pools;
  up_to.bases.count = up_to.derived.count = up_to.deopts.count = 0;
  for (size_t i = 0; i < contents->frames.count; i++) {
    up_to.bases.count += frames[i].base_count;
    up_to.derived.count += frames[i].derived_count;
    up_to.deopts.count += frames[i].deopt_count;
    spgc_location_pools_point(&up_to, &frames[i]);
  }
}

void spgc_stackmap_contents_forget_last(struct stackmap_contents *contents) {
  const struct frame_description *frames = contents->frames.data;
  const struct frame_description *last = &frames[--contents->frames.count];
  contents->pools.bases.count -= last->base_count;
  contents->pools.derived.count -= last->derived_count;
  contents->pools.deopts.count -= last->deopt_count;
}

void spgc_stackmap_contents_trim(struct stackmap_contents *contents) {
  struct array *arrays[] = {&contents->functions, &contents->frames, &contents->pools.bases,
                            &contents->pools.derived, &contents->pools.deopts};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
    spgc_array_trim(arrays[i]);
  spgc_array_free(&contents->pools.scratch);
  settle(contents);
}

void spgc_stackmap_contents_free(struct stackmap_contents *contents) {
  spgc_array_free(&contents->functions);
  spgc_array_free(&contents->frames);
  spgc_array_free(&contents->pools.bases);
  spgc_array_free(&contents->pools.derived);
  spgc_array_free(&contents->pools.deopts);
  spgc_array_free(&contents->pools.scratch);
}
