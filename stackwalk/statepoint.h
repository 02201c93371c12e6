/* Makes a frame's bases and derived references from a statepoint's record.
 * spgc_stackmap_statepoint_layout decides which records are statepoints, and the order of their
 * locations. A statepoint overlooked by mistake loses no root, because the walker stops at a return
 * address without a record. */
#ifndef SPGC_STACKWALK_STATEPOINT_H
#define SPGC_STACKWALK_STATEPOINT_H

#include "spgc/result.h"
#include "spgc/stackmap_reader.h"
#include "stackwalk/stackmap_contents.h"

/* A record recognised as a statepoint, with its section. */
struct statepoint {
  const struct spgc_stackmap_section *section;
  const struct spgc_stackmap_blob *blob;
  struct spgc_stackmap_record record;
  struct spgc_statepoint_layout layout;
};

/* Appends the statepoint's locations to the pools, and sets the flags and counts in `frame`. */
enum spgc_result spgc_statepoint_decode(const struct statepoint *statepoint,
                                        struct location_pools *pools,
                                        struct frame_description *frame, struct spgc_error *error);

#endif
