/* The return addresses of one section, in a hash table of exact size that only walkers write once
 * it is made (frame_entry.h). Open addressing by cache lines of two entries: a return address is in
 * the line that its hash names, or in the next that had room (docs/stackwalk.md, "What a frame
 * costs"). */
#ifndef SPGC_STACKWALK_FRAME_MAP_H
#define SPGC_STACKWALK_FRAME_MAP_H

#include "stackwalk/frame_entry.h"
#include "stackwalk/stackmap_contents.h"

enum { MAP_LINE_ENTRIES = 2 };

/* Of a map with several functions, or frames that need a description. */
struct frame_map_rest {
  struct stackmap_contents *described; /* NULL: no such frames */
  size_t function_count;
  struct function_address functions[]; /* ascending */
};

struct frame_map {
  uintptr_t lowest;
  uintptr_t extent; /* functions and return addresses are in [lowest, lowest + extent] */
  struct frame_entry *entries;
  uint32_t line_count, entry_count; /* >= 1 */
  struct frame_map_rest *rest;      /* or NULL */
};

void spgc_frame_map_destroy(struct frame_map *map);

bool spgc_frame_map_has_function(const struct frame_map *map, struct function_address function);

size_t spgc_frame_map_frame_count(const struct frame_map *map);

void spgc_frame_map_find_calls(const struct frame_map *map, uint64_t id,
                               void (*visit)(void *context, struct return_address), void *context);

/* Fibonacci hashing (https://en.wikipedia.org/wiki/Hash_function#Fibonacci_hashing); a
 * multiplication reduces the hash to the range. */
static inline uint64_t frame_map_home(const struct frame_map *map, struct return_address address) {
  uint64_t hash = (address.word * UINT64_C(0x9E3779B97F4A7C15)) >> 32;
  return (hash * map->line_count >> 32) * MAP_LINE_ENTRIES;
}

struct frame_entry *spgc_frame_map_probe_from_start(const struct frame_map *map,
                                                    struct return_address address);

/* The address's entry, or an empty one for it; NULL if the map is full. */
static inline struct frame_entry *frame_map_probe(const struct frame_map *map,
                                                  struct return_address address) {
  for (uint64_t index = frame_map_home(map, address);;) {
    struct frame_entry *entry = &map->entries[index];
    if (entry->return_address.word == address.word || entry->return_address.word == 0)
      return entry;
    if (++index == map->entry_count)
      return spgc_frame_map_probe_from_start(map, address);
  }
}

static inline struct frame_entry *frame_map_find(const struct frame_map *map,
                                                 struct return_address address) {
  if (address.word - map->lowest > map->extent)
    return NULL;
  struct frame_entry *entry = frame_map_probe(map, address);
  return entry == NULL || entry->return_address.word == 0 ? NULL : entry;
}

#endif
