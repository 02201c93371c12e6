/* A frame's bases and derived references. Overlooking a statepoint loses no root, because walks
 * stop at return addresses without records. */
#ifndef SPGC_STACKWALK_STATEPOINT_H
#define SPGC_STACKWALK_STATEPOINT_H

#include "spgc/result.h"
#include "spgc/stackmap_reader.h"
#include "stackwalk/stackmap_contents.h"

struct statepoint {
  const struct spgc_stackmap_section *section;
  const struct spgc_stackmap_blob *blob;
  struct spgc_stackmap_record record;
  struct spgc_statepoint_layout layout;
};

/* Sets the flags and counts in `frame`. */
enum spgc_result spgc_statepoint_decode(const struct statepoint *statepoint,
                                        struct location_pools *pools,
                                        struct frame_description *frame, struct spgc_error *error);

#endif
