/* The function of each record of a version 1 map, which the format does not state.
 *
 * LLVM 3.5 to 3.9 list functions in the order of their first records, and none without a record. So
 * the owners are known if only one assignment in this order agrees with those that the caller
 * knows, and with the functions' addresses: a call returns no later than at the next function's
 * start. */
#ifndef SPGC_STACKWALK_RECORD_OWNER_H
#define SPGC_STACKWALK_RECORD_OWNER_H

#include "spgc/result.h"
#include "spgc/stackmap.h"
#include "spgc/stackmap_reader.h"
#include "stackwalk/array.h"

/* `function_of` may be NULL. */
struct record_owner_source {
  spgc_stackmap_function_of function_of;
  void *context;
};

/* Fills `owners` (uint32_t) with a function index for each record from `position`.
 * SPGC_ERROR_UNSUPPORTED if several assignments are possible, SPGC_ERROR_MALFORMED if none is. */
enum spgc_result spgc_record_owners_find(const struct spgc_stackmap_section *section,
                                         const struct spgc_stackmap_blob *blob, uint64_t position,
                                         const struct record_owner_source *source,
                                         struct array *owners, struct spgc_error *error);

#endif
