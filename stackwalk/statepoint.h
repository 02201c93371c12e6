/* From the locations of a statepoint's record to the frame's bases and derived references.
 *
 * https://llvm.org/docs/Statepoints.html#stack-map-format: calling convention, flags, number of deopt locations (three
 * constants), the deopt locations, then (base, derived) pairs, then allocas, one direct location each.
 *
 * The format does not mark a record as a statepoint's. It is one iff it has no live-outs, its first three locations are
 * 8-byte constants that a statepoint can have (calling convention at most 1023, no unknown flag, a deopt count that
 * fits), and what follows splits into pairs and trailing direct locations. A stackmap or patchpoint record fails this
 * unless its arguments imitate it. A statepoint that were left out by mistake cannot lose a root: the walker stops at a
 * return address without a record.
 */
#ifndef SPGC_STACKWALK_STATEPOINT_H
#define SPGC_STACKWALK_STATEPOINT_H

#include <stdbool.h>

#include "spgc/result.h"
#include "stackwalk/array.h"
#include "stackwalk/frame_description.h"
#include "stackwalk/location.h"

enum statepoint_flags {
  STATEPOINT_GC_TRANSITION = 1u << 0,
  STATEPOINT_DEOPT_LIVE_IN = 1u << 1,
};

/* One record as the parser found it; every location was checked on its own. */
struct statepoint_record {
  const unsigned char *locations; /* `location_count` times STACKMAP_LOCATION_SIZE bytes */
  uint64_t position;              /* of the first location, in the section: for messages */
  const unsigned char *constants; /* the map's pool, 8 bytes each */
  uint32_t constant_count;
  uint16_t location_count;
  uint16_t live_out_count;
};

enum { STACKMAP_LOCATION_SIZE = 12 };

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

struct raw_location spgc_raw_location_read(const unsigned char *bytes);

bool spgc_statepoint_recognise(const struct statepoint_record *record);

/* Appends the record's locations to the pools and sets the counts in `frame`. The record must be a recognised one. */
enum spgc_result spgc_statepoint_decode(const struct statepoint_record *record, struct location_pools *pools,
                                        struct frame_description *frame, struct spgc_error *error);

#endif
