/* The process-wide table from return addresses to frame descriptions.
 *
 * Open addressing, linear probing, at most half full, removal by shifting back: a lookup is one multiplication and,
 * mostly, one cache line. Beside it a table of the functions that stack maps list, because a return address inside such
 * a function must have a description.
 *
 * Who writes, and when: registration and unregistration, under the table's lock, while no thread walks. Who reads:
 * walkers, without a lock.
 */
#ifndef SPGC_STACKWALK_FRAME_TABLE_H
#define SPGC_STACKWALK_FRAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "spgc/result.h"
#include "stackwalk/address.h"
#include "stackwalk/frame_description.h"

/* Adds all frames and functions, or nothing. SPGC_ERROR_MALFORMED when a return address is described already. The
 * frames must stay where they are until they are removed. */
enum spgc_result spgc_frame_table_add(const struct frame_description *frames, size_t frame_count,
                                      const struct function_address *functions, size_t function_count,
                                      struct spgc_error *error);

void spgc_frame_table_remove(const struct frame_description *frames, size_t frame_count,
                             const struct function_address *functions, size_t function_count);

/* NULL when no live map describes the address. */
const struct frame_description *spgc_frame_table_find(struct return_address address);

/* True iff a live map lists a function that starts here. */
bool spgc_frame_table_has_function(struct function_address function);

#endif
