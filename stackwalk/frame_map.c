#include "stackwalk/frame_map.h"

#include <stdlib.h>

void spgc_frame_map_destroy(struct frame_map *map) {
  free(map->entries);
  if (map->rest != NULL && map->rest->described != NULL) {
    spgc_stackmap_contents_free(map->rest->described);
    free(map->rest->described);
  }
  free(map->rest);
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
  if (map->rest == NULL)
    return function.word == map->lowest;
  const struct function_address *functions = map->rest->functions;
  size_t low = 0, count = map->rest->function_count, high = count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (functions[middle].word < function.word)
      low = middle + 1;
    else
      high = middle;
  }
  return low < count && functions[low].word == function.word;
}

size_t spgc_frame_map_frame_count(const struct frame_map *map) {
  size_t count = 0;
  for (uint32_t i = 0; i < map->entry_count; i++)
    count += map->entries[i].return_address.word != 0;
  return count;
}

void spgc_frame_map_find_calls(const struct frame_map *map, uint64_t id,
                               void (*visit)(void *context, struct return_address), void *context) {
  for (uint32_t i = 0; i < map->entry_count; i++)
    if (map->entries[i].return_address.word != 0 && map->entries[i].id == id)
      visit(context, map->entries[i].return_address);
}
