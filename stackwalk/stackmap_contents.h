/* What a section says, while it is parsed and of what is kept afterwards.
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

/* What frames refer to; grows while a section is parsed. */
struct location_pools {
  struct array bases;   /* struct location */
  struct array derived; /* struct derived_location */
  struct array deopts;  /* struct deopt_location */
  struct array scratch; /* struct location_pair: those of the record being decoded */
};

struct stackmap_contents {
  struct array
      functions;       /* struct function_address: every function listed, with or without records */
  struct array frames; /* struct frame_description: one for each statepoint that was kept */
  struct location_pools pools;
};

/* Lets the frame that was read last point to its locations, the last ones in the pools. */
void spgc_location_pools_point(const struct location_pools *pools, struct frame_description *last);

/* Lets every frame point to its locations; they may have moved until now. */
void spgc_stackmap_contents_settle(struct stackmap_contents *contents);

void spgc_stackmap_contents_forget_last(struct stackmap_contents *contents);

/* Gives back the memory that growing has left over, and settles. */
void spgc_stackmap_contents_trim(struct stackmap_contents *contents);

void spgc_stackmap_contents_free(struct stackmap_contents *contents);

#endif
