/* Finds the frame entry of a return address in a tree of the live maps (frame_map.h), ordered by
 * address.
 *
 * Registration and unregistration, one at a time, copy a path of the tree and publish the new root.
 * Unregistration then waits for walkers that may use an old root (walkers.h), and frees unused maps
 * and nodes; registration leaves old nodes, at most one for each live map. */
#ifndef SPGC_STACKWALK_FRAME_TABLE_H
#define SPGC_STACKWALK_FRAME_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "spgc/result.h"
#include "stackwalk/frame_map.h"

/* SPGC_ERROR_MALFORMED, without a message, if a live map has another record of *claimed. The map
 * must stay until removed. */
enum spgc_result spgc_frame_table_add(const struct frame_map *map, struct return_address *claimed,
                                      struct spgc_error *error);

/* Returns when no walker uses the map. */
void spgc_frame_table_remove(const struct frame_map *map);

/* No other thread can register or unregister during a fork. */
void spgc_frame_table_lock(void);
void spgc_frame_table_unlock(void);

extern const struct frame_map spgc_frame_map_empty;

/* For walkers. NULL if no live map describes the address; else *recent, the first that a lookup
 * tries, becomes the map that does. */
struct frame_entry *spgc_frame_table_search(struct return_address address,
                                            const struct frame_map **recent);

static inline struct frame_entry *frame_table_find_near(struct return_address address,
                                                        const struct frame_map **recent) {
  struct frame_entry *entry = frame_map_find(*recent, address);
  return entry != NULL ? entry : spgc_frame_table_search(address, recent);
}

static inline struct frame_entry *frame_table_find(struct return_address address) {
  const struct frame_map *recent = &spgc_frame_map_empty;
  return frame_table_find_near(address, &recent);
}

bool spgc_frame_table_has_function(struct function_address function);

/* Changes with each registration and unregistration; never 0. */
uint64_t spgc_frame_table_generation(void);

/* For walkers. */
void spgc_frame_table_find_calls(uint64_t id, void (*visit)(void *context, struct return_address),
                                 void *context);

#endif
