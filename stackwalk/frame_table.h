/* The process-wide table from return addresses to frame descriptions.
 *
 * A lookup is one multiplication and, mostly, one cache line, which also says how to step out of the frame and where
 * its roots are (frame_entry.h). Beside it a table of the functions that stack maps list, because a return address
 * inside such a function must have a description.
 *
 * Who writes, and when: registration and unregistration, with the table locked, so that no thread walks. Who reads:
 * walkers, who hold the table; any number may. They also fill in recipes. What is removed takes its recipe with it, so
 * code that is loaded at the same address later is looked at anew.
 */
#ifndef SPGC_STACKWALK_FRAME_TABLE_H
#define SPGC_STACKWALK_FRAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "spgc/result.h"
#include "stackwalk/address.h"
#include "stackwalk/address_table.h"
#include "stackwalk/flat_table.h"
#include "stackwalk/frame_entry.h"

/* Adds all frames and functions, or nothing. SPGC_ERROR_MALFORMED when a return address is described already. The
 * frames must stay where they are until they are removed. */
enum spgc_result spgc_frame_table_add(const struct frame_description *frames, size_t frame_count,
                                      const struct function_address *functions, size_t function_count,
                                      struct spgc_error *error);

void spgc_frame_table_remove(const struct frame_description *frames, size_t frame_count,
                             const struct function_address *functions, size_t function_count);

/* The same for the maps of a flat section (flat_table.h). */
enum spgc_result spgc_frame_table_add_flat(struct flat_map *maps, size_t count, struct spgc_error *error);
void spgc_frame_table_remove_flat(struct flat_map *maps, size_t count);

/* While a walker holds the table, nobody locks it. */
void spgc_frame_table_hold(void);
void spgc_frame_table_let_go(void);

/* For registration and unregistration, and whatever else must not meet a walk. */
void spgc_frame_table_lock(void);
void spgc_frame_table_unlock(void);

/* Read through frame_table_find only; in the header for its sake. */
extern struct address_table spgc_frame_entries;

/* NULL when no live map describes the address. Valid until the next registration or unregistration. */
static inline struct frame_entry *frame_table_find(struct return_address address) {
  struct frame_entry *entry = address_table_find(&spgc_frame_entries, address.word, sizeof(struct frame_entry));
  return entry == NULL && spgc_flat_map_count != 0 ? spgc_flat_find(address) : entry;
}

/* True iff a live map lists a function that starts here. */
bool spgc_frame_table_has_function(struct function_address function);

/* Calls `visit` with each return address whose record has this ID. With the table held. */
void spgc_frame_table_find_calls(uint64_t id, void (*visit)(void *context, struct return_address), void *context);

#endif
