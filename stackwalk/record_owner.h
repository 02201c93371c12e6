/* Which function each record of a version 1 map belongs to; the format does not say.
 *
 * LLVM 3.5 to 3.9 write the functions in the order of their first records, and list no function
 * without a record. So owners are known as soon as one assignment only, of records in order to
 * functions in order, agrees with
 *   - what the caller knows of a record (its ID),
 *   - where functions start: a call in a function returns no later than where the next function
 * starts. Where the caller knows all of them, the order is not needed.
 */
#ifndef SPGC_STACKWALK_RECORD_OWNER_H
#define SPGC_STACKWALK_RECORD_OWNER_H

#include "spgc/result.h"
#include "spgc/stackmap.h"
#include "spgc/stackmap_reader.h"
#include "stackwalk/array.h"

/* What the caller of registration knows; `function_of` may be NULL. */
struct record_owner_source {
  spgc_stackmap_function_of *function_of;
  void *context;
};

/* Fills `owners` (uint32_t, empty before) with a function index for each record of the blob, whose
 * first record is at `position`. SPGC_ERROR_UNSUPPORTED when owners remain open,
 * SPGC_ERROR_MALFORMED when no assignment agrees. */
enum spgc_result spgc_record_owners_find(const struct spgc_stackmap_section *section,
                                         const struct spgc_stackmap_blob *blob, uint64_t position,
                                         const struct record_owner_source *source,
                                         struct array *owners, struct spgc_error *error);

#endif
