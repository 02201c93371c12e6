#include "stackwalk/frame_map.h"

#include <stdlib.h>

void spgc_frame_map_destroy(struct frame_map *map) {
  free(map->entries);
  free(map->functions);
  if (map->described != NULL)
    spgc_stackmap_contents_free(map->described);
  free(map->described);
  *map = (struct frame_map){0};
}

struct frame_entry *spgc_frame_map_probe_from_start(const struct frame_map *map,
                                                    struct return_address address) {
  uint64_t home = frame_map_home(map, address);
  for (uint64_t index = 0; index < home; index++)
    if (map->entries[index].return_address.word == address.word ||
        map->entries[index].return_address.word == 0)
      return &map->entries[index];
  return NULL;
}

bool spgc_frame_map_has_function(const struct frame_map *map, struct function_address function) {
  const struct function_address *functions = map->functions;
  size_t low = 0, high = map->function_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (functions[middle].word < function.word)
      low = middle + 1;
    else
      high = middle;
  }
  return low < map->function_count && functions[low].word == function.word;
}

void spgc_frame_map_find_calls(const struct frame_map *map, uint64_t id,
                               void (*visit)(void *context, struct return_address), void *context) {
  for (uint64_t i = 0; i < frame_map_size(map); i++)
    if (map->entries[i].return_address.word != 0 && map->entries[i].id == id)
      visit(context, map->entries[i].return_address);
}
