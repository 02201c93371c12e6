/* From the bytes of a `.llvm_stackmaps` section to frame descriptions. The grammar is in spgc/stackmap_reader.h.
 *
 * Layers: stackmap_reader.c finds and checks items, record_owner.c supplies what version 1 leaves out, statepoint.c
 * turns the locations of a record into a frame's description.
 */
#ifndef SPGC_STACKWALK_STACKMAP_PARSER_H
#define SPGC_STACKWALK_STACKMAP_PARSER_H

#include <stddef.h>

#include "spgc/result.h"
#include "stackwalk/array.h"
#include "stackwalk/record_owner.h"
#include "stackwalk/statepoint.h"

/* What a section says. Frames point into the pools, which do not change once parsing has ended. */
struct stackmap_contents {
  struct array functions; /* struct function_address: every function listed, with or without records */
  struct array frames;    /* struct frame_description: one for each statepoint */
  struct location_pools pools;
};

/* Integers are in the byte order of the machine. `contents` is to be freed by spgc_stackmap_contents_free, whatever the
 * result. */
enum spgc_result spgc_stackmap_parse(const void *bytes, size_t size, const struct record_owner_source *owners,
                                     struct stackmap_contents *contents, struct spgc_error *error);

void spgc_stackmap_contents_free(struct stackmap_contents *contents);

#endif
