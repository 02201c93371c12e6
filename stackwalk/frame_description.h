/* The full description of frames suspended at one return address, constant after registration.
 *
 * Invariants, established by statepoint.c, so that moving references needs no scratch memory:
 *   - bases do not overlap each other;
 *   - derived locations with `rewritten` do not overlap each other, or a base;
 *   - derived locations are in the order of their bases, so that each base is moved with them
 *     before the next is read. */
#ifndef SPGC_STACKWALK_FRAME_DESCRIPTION_H
#define SPGC_STACKWALK_FRAME_DESCRIPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "stackwalk/address.h"
#include "stackwalk/location.h"

struct frame_description {
  struct return_address return_address;
  uint64_t id;       /* the call site's "statepoint-id" */
  uint64_t flags;    /* enum spgc_statepoint_flags */
  uint64_t position; /* the record's, in its section; for messages */
  /* Without the return address; UINT64_MAX: it varies. */
  uint64_t stack_size;
  uint32_t base_count;
  uint32_t derived_count;
  uint32_t deopt_count;
  const struct location *bases;
  const struct derived_location *derived;
  const struct deopt_location *deopts;
};

/* Positions may differ. */
bool spgc_frame_description_equal(const struct frame_description *a,
                                  const struct frame_description *b);

#endif
