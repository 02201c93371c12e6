/* After parsing, the pools have the frames' locations in the order of the frames. */
#ifndef SPGC_STACKWALK_STACKMAP_CONTENTS_H
#define SPGC_STACKWALK_STACKMAP_CONTENTS_H

#include "stackwalk/array.h"
#include "stackwalk/frame_description.h"

struct location_pair {
  struct location base;
  struct location derived;
};

struct location_pools {
  struct array bases;   /* struct location */
  struct array derived; /* struct derived_location */
  struct array deopts;  /* struct deopt_location */
  struct array scratch; /* struct location_pair, of the current record */
};

struct stackmap_contents {
  struct array functions; /* struct function_address: even without records */
  struct array frames;    /* struct frame_description: of each kept statepoint */
  struct location_pools pools;
};

/* The last frame gets the last locations in the pools. */
void spgc_location_pools_point(const struct location_pools *pools, struct frame_description *last);

void spgc_stackmap_contents_forget_last(struct stackmap_contents *contents);

/* Frees unused memory, and points every frame to its locations. */
void spgc_stackmap_contents_trim(struct stackmap_contents *contents);

void spgc_stackmap_contents_free(struct stackmap_contents *contents);

#endif
