/* Flat maps, and the frame entries that walkers made from them.
 *
 * A map's calls are sorted by return address. The first walker that meets a call makes its frame
 * entry, and a description whose locations are the map's own; both stay until the map is removed.
 * Each map has a small cache of recent answers, which is freed with it, so nothing that outlives a
 * map points into it.
 *
 * Writers: walkers write the slots of calls, and the cache. The walker that claims a slot writes it
 * until it is ready; other walkers that meet it sleep until then. The cache consists of single
 * words. */
#ifndef SPGC_STACKWALK_FLAT_TABLE_H
#define SPGC_STACKWALK_FLAT_TABLE_H

#include <stdbool.h>

#include "stackwalk/flat_view.h"
#include "stackwalk/frame_entry.h"

struct flat_map;

/* The maps of a section, allocated with malloc. */
enum spgc_result spgc_flat_maps_open(const void *section, size_t size, struct flat_map **maps,
                                     size_t *count, struct spgc_error *error);
/* Whether the maps describe the code in memory (code_check.h). */
enum spgc_result spgc_flat_maps_check_code(const struct flat_map *maps, size_t count,
                                           struct spgc_error *error);

void spgc_flat_maps_close(struct flat_map *maps, size_t count);
size_t spgc_flat_maps_call_count(const struct flat_map *maps, size_t count);

struct flat_map *spgc_flat_map_at(struct flat_map *maps, size_t index);

/* The code's first byte, and its end, which may be a return address. */
void spgc_flat_extent(const struct flat_map *map, uintptr_t *lowest, uintptr_t *highest);

uint64_t spgc_flat_position(const struct flat_map *map);

/* The address is in the map's extent. NULL if the map does not describe it. */
struct frame_entry *spgc_flat_find(const struct flat_map *map, struct return_address address);
bool spgc_flat_has_function(const struct flat_map *map, struct function_address function);

void spgc_flat_find_calls(const struct flat_map *map, uint64_t id,
                          void (*visit)(void *context, struct return_address), void *context);

#endif
