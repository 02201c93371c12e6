/* The live flat maps, and what walkers have made of them.
 *
 * A return address is looked for among the maps, which are sorted by the addresses of their code, then among the map's
 * calls. The first walker that meets a call turns it into what walkers work with, a frame entry and a description whose
 * locations are the map's own; both stay until the map goes. A small cache of recent answers stands in front.
 *
 * Who writes, and when: the list of maps, with the frame table locked. The slots of calls and the cache, walkers, who
 * hold the frame table: a slot by the one that claims it, before it is ready; the cache is of single words.
 */
#ifndef SPGC_STACKWALK_FLAT_TABLE_H
#define SPGC_STACKWALK_FLAT_TABLE_H

#include <stdbool.h>

#include "stackwalk/flat_view.h"
#include "stackwalk/frame_entry.h"

struct flat_map;

/* With the frame table locked: all maps of a section that spgc_flat_check accepted, or none. SPGC_ERROR_MALFORMED when
 * another map claims some of the code. */
enum spgc_result spgc_flat_table_add(struct flat_map *maps, size_t count, struct spgc_error *error);
void spgc_flat_table_remove(struct flat_map *maps, size_t count);

/* The maps of a section, from malloc. */
enum spgc_result spgc_flat_maps_open(const void *section, size_t size, struct flat_map **maps, size_t *count,
                                     struct spgc_error *error);
void spgc_flat_maps_close(struct flat_map *maps, size_t count);
size_t spgc_flat_maps_call_count(const struct flat_map *maps, size_t count);

/* Number of live maps; written with the frame table locked. */
extern size_t spgc_flat_map_count;

/* With the frame table held. NULL when no live flat map describes the address. */
struct frame_entry *spgc_flat_find(struct return_address address);
bool spgc_flat_has_function(struct function_address function);

/* Calls `visit` with the return address of each call with this ID. */
void spgc_flat_find_calls(uint64_t id, void (*visit)(void *context, struct return_address), void *context);

#endif
