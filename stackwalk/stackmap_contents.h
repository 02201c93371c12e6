/* The contents of a section, while it is parsed, and the part of them that is kept afterwards.
 *
 * Invariant, once parsing has ended: the frames' locations are in the pools, in the order of the
 * frames.
 */
#ifndef SPGC_STACKWALK_STACKMAP_CONTENTS_H
#define SPGC_STACKWALK_STACKMAP_CONTENTS_H

#include "stackwalk/array.h"
#include "stackwalk/frame_description.h"

/* A (base, derived) pair while its record is decoded. */
struct location_pair {
  struct location base;
  struct location derived;
};

/* The locations of frames; the pools grow while a section is parsed. */
struct location_pools {
  struct array bases;   /* struct location */
  struct array derived; /* struct derived_location */
  struct array deopts;  /* struct deopt_location */
  struct array scratch; /* struct location_pair, of the record being decoded */
};

struct stackmap_contents {
  struct array
      functions;       /* struct function_address: every function listed, with or without records */
  struct array frames; /* struct frame_description: one for each statepoint that was kept */
  struct location_pools pools;
};

/* Sets the pointers of the frame that was read last to its locations, the last ones in the
 * pools. */
void spgc_location_pools_point(const struct location_pools *pools, struct frame_description *last);

/* Sets every frame's pointers to its locations, which may have been reallocated until now. */
void spgc_stackmap_contents_settle(struct stackmap_contents *contents);

void spgc_stackmap_contents_forget_last(struct stackmap_contents *contents);

/* Frees the memory that growing left over, and settles. */
void spgc_stackmap_contents_trim(struct stackmap_contents *contents);

void spgc_stackmap_contents_free(struct stackmap_contents *contents);

#endif
