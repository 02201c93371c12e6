/* From the locations of a statepoint's record to the frame's bases and derived references.
 *
 * Which records are statepoints, and in what order their locations come: spgc_stackmap_statepoint_layout. A statepoint
 * that were left out by mistake cannot lose a root: the walker stops at a return address without a record.
 */
#ifndef SPGC_STACKWALK_STATEPOINT_H
#define SPGC_STACKWALK_STATEPOINT_H

#include "spgc/result.h"
#include "spgc/stackmap_reader.h"
#include "stackwalk/array.h"
#include "stackwalk/frame_description.h"
#include "stackwalk/location.h"

/* A record that was recognised, with what it refers to. */
struct statepoint {
  const struct spgc_stackmap_section *section;
  const struct spgc_stackmap_blob *blob;
  struct spgc_stackmap_record record;
  struct spgc_statepoint_layout layout;
};

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

/* Appends the statepoint's locations to the pools and sets the flags and counts in `frame`. */
enum spgc_result spgc_statepoint_decode(const struct statepoint *statepoint, struct location_pools *pools,
                                        struct frame_description *frame, struct spgc_error *error);

#endif
