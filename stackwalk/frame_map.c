#include "stackwalk/frame_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/fatal.h"

enum {
  CACHE_LINE = MAP_LINE_ENTRIES * ENTRY_SIZE,
  LOAD = 13, /* entries taken of LOAD_OF */
  LOAD_OF = 20,
  AHEAD = 12, /* frames whose cache lines are on their way while one is entered */
};

/* What the frames that need a description point to, and where the next goes. */
struct described {
  struct frame_description *descriptions;
  struct deopt_location *deopts;
  struct derived_location *derived;
  struct location *bases;
  size_t description_count, deopt_count, derived_count, base_count;
};

static enum spgc_result no_memory(size_t frames, struct spgc_error *error) {
  return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "no memory for %zu return addresses", frames);
}

/* Counts in `described` what a frame needs that needs a description. */
static enum spgc_result insert(struct frame_map *map, const struct frame_description *frame,
                               struct described *described, struct spgc_error *error) {
  struct frame_entry *entry = frame_map_probe(map, frame->return_address);
  if (entry->return_address.word != 0)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, frame->position,
                          "return address 0x%" PRIxPTR " of the record at byte %" PRIu64 " has a record already",
                          frame->return_address.word, frame->position);
  *entry = spgc_frame_entry_make(frame);
  if (!frame_entry_is_described(entry))
    return SPGC_OK;
  described->description_count++;
  described->deopt_count += frame->deopt_count;
  described->derived_count += frame->derived_count;
  described->base_count += frame->base_count;
  return SPGC_OK;
}

static void *memory_at(void *memory, size_t offset) {
  return (unsigned char *)memory + offset;
}

static bool allocate_described(struct frame_map *map, struct described *described) {
  size_t deopts = described->description_count * sizeof *described->descriptions;
  size_t derived = deopts + described->deopt_count * sizeof *described->deopts;
  size_t bases = derived + described->derived_count * sizeof *described->derived;
  void *memory = malloc(bases + described->base_count * sizeof *described->bases);
  if (memory == NULL)
    return false;
  map->described = memory;
  *described = (struct described){.descriptions = memory,
                                  .deopts = memory_at(memory, deopts),
                                  .derived = memory_at(memory, derived),
                                  .bases = memory_at(memory, bases)};
  return true;
}

/* C forbids memcpy from a null pointer, which is what a frame without such values has. */
static void *copy_values(void *to, const void *from, size_t size) {
  return size == 0 ? to : memcpy(to, from, size);
}

static const struct frame_description *copy_described(struct described *described,
                                                      const struct frame_description *frame) {
  struct frame_description *copy = described->descriptions++;
  *copy = *frame;
  copy->bases = copy_values(described->bases, frame->bases, frame->base_count * sizeof *frame->bases);
  copy->derived = copy_values(described->derived, frame->derived, frame->derived_count * sizeof *frame->derived);
  copy->deopts = copy_values(described->deopts, frame->deopts, frame->deopt_count * sizeof *frame->deopts);
  described->bases += frame->base_count;
  described->derived += frame->derived_count;
  described->deopts += frame->deopt_count;
  return copy;
}

static enum spgc_result enter_frames(struct frame_map *map, const struct frame_description *frames,
                                     struct spgc_error *error) {
  struct described described = {0};
  for (size_t i = 0; i < map->frame_count; i++) {
    if (i + AHEAD < map->frame_count)
      __builtin_prefetch(&map->entries[frame_map_home(map, frames[i + AHEAD].return_address)], 1);
    enum spgc_result result = insert(map, &frames[i], &described, error);
    if (result != SPGC_OK)
      return result;
  }
  if (described.description_count == 0)
    return SPGC_OK;
  if (!allocate_described(map, &described))
    return no_memory(map->frame_count, error);
  for (size_t i = 0; i < map->frame_count; i++) {
    struct frame_entry *entry = frame_map_probe(map, frames[i].return_address);
    if (frame_entry_is_described(entry))
      entry->description = copy_described(&described, &frames[i]);
  }
  return SPGC_OK;
}

static int compare_words(const void *left, const void *right) {
  uintptr_t a = *(const uintptr_t *)left, b = *(const uintptr_t *)right;
  return (a > b) - (a < b);
}

static void enter_functions(struct frame_map *map, const struct function_address *functions) {
  bool ascending = true;
  for (size_t i = 0; i < map->function_count; i++) {
    map->functions[i] = functions[i].word;
    ascending = ascending && (i == 0 || functions[i - 1].word <= functions[i].word);
  }
  if (!ascending)
    qsort(map->functions, map->function_count, sizeof *map->functions, compare_words);
}

/* An empty map has none. */
static void find_extent(struct frame_map *map, const struct frame_description *frames) {
  uintptr_t lowest = UINTPTR_MAX, highest = 0;
  if (map->function_count != 0) {
    lowest = map->functions[0];
    highest = map->functions[map->function_count - 1];
  }
  for (size_t i = 0; i < map->frame_count; i++) {
    uintptr_t word = frames[i].return_address.word;
    lowest = word < lowest ? word : lowest;
    highest = word > highest ? word : highest;
  }
  map->lowest = lowest;
  map->extent = highest < lowest ? 0 : highest - lowest;
}

enum spgc_result spgc_frame_map_make(const struct frame_description *frames, size_t frame_count,
                                     const struct function_address *functions, size_t function_count,
                                     struct frame_map *map, struct spgc_error *error) {
  uint64_t lines = (uint64_t)frame_count * LOAD_OF / LOAD / MAP_LINE_ENTRIES + 1;
  if (lines > UINT32_MAX)
    return no_memory(frame_count, error);
  *map = (struct frame_map){.line_count = lines, .frame_count = frame_count, .function_count = function_count};
  map->entries = aligned_alloc(CACHE_LINE, lines * CACHE_LINE);
  map->functions = calloc(function_count + 1, sizeof *map->functions);
  enum spgc_result result = SPGC_OK;
  if (map->entries == NULL || map->functions == NULL) {
    result = no_memory(frame_count, error);
  } else {
    memset(map->entries, 0, lines * CACHE_LINE);
    enter_functions(map, functions);
    find_extent(map, frames);
    result = enter_frames(map, frames, error);
  }
  if (result != SPGC_OK)
    spgc_frame_map_destroy(map);
  return result;
}

void spgc_frame_map_destroy(struct frame_map *map) {
  free(map->entries);
  free(map->functions);
  free(map->described);
  *map = (struct frame_map){0};
}

bool spgc_frame_map_has_function(const struct frame_map *map, struct function_address function) {
  return bsearch(&function.word, map->functions, map->function_count, sizeof *map->functions, compare_words) != NULL;
}

void spgc_frame_map_find_calls(const struct frame_map *map, uint64_t id,
                               void (*visit)(void *context, struct return_address), void *context) {
  for (uint64_t i = 0; i < map->line_count * MAP_LINE_ENTRIES; i++)
    if (map->entries[i].return_address.word != 0 && map->entries[i].id == id)
      visit(context, map->entries[i].return_address);
}
