/* Flat maps, and what walkers have made of them.
 *
 * A return address is looked for among the map's calls, which are sorted. The first walker that
 * meets a call turns it into what walkers work with, a frame entry and a description whose
 * locations are the map's own; both stay until the map goes. Each map has a small cache of recent
 * answers, which goes with it: nothing that outlives a map leads into it.
 *
 * Who writes, and when: the slots of calls and the cache, walkers: a slot by the one that claims
 * it, before it is ready; the cache is of single words. Other walkers that meet a claimed slot
 * sleep until it is ready.
 */
#ifndef SPGC_STACKWALK_FLAT_TABLE_H
#define SPGC_STACKWALK_FLAT_TABLE_H

#include <stdbool.h>

#include "stackwalk/flat_view.h"
#include "stackwalk/frame_entry.h"

struct flat_map;

/* The maps of a section, from malloc. */
enum spgc_result spgc_flat_maps_open(const void *section, size_t size, struct flat_map **maps,
                                     size_t *count, struct spgc_error *error);
void spgc_flat_maps_close(struct flat_map *maps, size_t count);
size_t spgc_flat_maps_call_count(const struct flat_map *maps, size_t count);

struct flat_map *spgc_flat_map_at(struct flat_map *maps, size_t index);

/* The code's first byte and its end, which may be a return address. */
void spgc_flat_extent(const struct flat_map *map, uintptr_t *lowest, uintptr_t *highest);

/* Of the map in its section. */
uint64_t spgc_flat_position(const struct flat_map *map);

/* For addresses in the map's extent. NULL when the map does not describe the address. */
struct frame_entry *spgc_flat_find(const struct flat_map *map, struct return_address address);
bool spgc_flat_has_function(const struct flat_map *map, struct function_address function);

/* Calls `visit` with the return address of each call with this ID. */
void spgc_flat_find_calls(const struct flat_map *map, uint64_t id,
                          void (*visit)(void *context, struct return_address), void *context);

#endif
