#include "stackwalk/frame_map_builder.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "support/fatal.h"

enum {
  CACHE_LINE = MAP_LINE_ENTRIES * ENTRY_SIZE,
  LOAD = 13, /* LOAD of LOAD_OF entries may be taken */
  LOAD_OF = 20,
  FEW = 8, /* frames, for which all may be taken */
};

static enum spgc_result no_memory(uint64_t frames, struct spgc_error *error) {
  return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                        "cannot allocate %" PRIu64 " return addresses: out of memory", frames);
}

enum spgc_result spgc_frame_map_refuse(struct return_address address, uint64_t position,
                                       struct spgc_error *error) {
  return spgc_error_set(error, SPGC_ERROR_MALFORMED, position,
                        "return address 0x%" PRIxPTR " of the record at byte %" PRIu64
                        " has another record with other contents: a linker that folds identical "
                        "code (--icf=all) has joined functions whose frames are different, or code "
                        "was unloaded and its stack map was not unregistered",
                        address.word, position);
}

/* Entries with descriptions have none yet: point_to_descriptions compares them. */
static enum spgc_result enter(struct frame_map_builder *builder, const struct waiting_entry *added,
                              struct spgc_error *error) {
  const struct frame_entry *entry = &added->entry;
  struct frame_entry *place = frame_map_probe(&builder->map, entry->return_address);
  if (place->return_address.word == 0) {
    *place = *entry;
    if (frame_entry_is_described(entry))
      place->description = NULL;
    return SPGC_OK;
  }
  bool described = frame_entry_is_described(place) && frame_entry_is_described(entry);
  if (!described && !spgc_frame_entry_equal(place, entry))
    return spgc_frame_map_refuse(entry->return_address, added->position, error);
  builder->equal++;
  return SPGC_OK;
}

static enum spgc_result enter_oldest(struct frame_map_builder *builder, struct spgc_error *error) {
  return enter(builder, &builder->waiting[builder->entered++ % MAP_WAITING], error);
}

static enum spgc_result enter_waiting(struct frame_map_builder *builder, struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  while (builder->entered < builder->frame_count && result == SPGC_OK)
    result = enter_oldest(builder, error);
  return result;
}

static uint64_t entries_for(uint64_t frames) {
  if (frames > FEW)
    return (frames * LOAD_OF / LOAD / MAP_LINE_ENTRIES + 1) * MAP_LINE_ENTRIES;
  return frames != 0 ? frames : 1;
}

static struct frame_entry *create_entries(uint64_t count) {
  size_t alignment = count % MAP_LINE_ENTRIES == 0 ? CACHE_LINE : ENTRY_SIZE;
  struct frame_entry *entries =
      count <= UINT32_MAX ? aligned_alloc(alignment, count * ENTRY_SIZE) : NULL;
  if (entries != NULL)
    memset(entries, 0, count * ENTRY_SIZE);
  return entries;
}

static enum spgc_result resize(struct frame_map *map, uint64_t frames, struct spgc_error *error) {
  uint64_t count = entries_for(frames);
  struct frame_entry *entries = create_entries(count);
  if (entries == NULL)
    return no_memory(frames, error);
  struct frame_map before = *map;
  map->entries = entries;
  map->entry_count = (uint32_t)count;
  map->line_count = (uint32_t)((count + MAP_LINE_ENTRIES - 1) / MAP_LINE_ENTRIES);
  for (uint32_t i = 0; before.entries != NULL && i < before.entry_count; i++)
    if (before.entries[i].return_address.word != 0)
      *frame_map_probe(map, before.entries[i].return_address) = before.entries[i];
  free(before.entries);
  return SPGC_OK;
}

enum spgc_result spgc_frame_map_expect(struct frame_map_builder *builder, uint64_t count,
                                       struct spgc_error *error) {
  uint64_t present = builder->frame_count, half = present / 2;
  if (present + count <= builder->expected)
    return SPGC_OK;
  enum spgc_result result = enter_waiting(builder, error);
  if (result != SPGC_OK)
    return result;
  builder->expected = present + (count > half ? count : half);
  return resize(&builder->map, builder->expected, error);
}

enum spgc_result spgc_frame_map_enter(struct frame_map_builder *builder,
                                      const struct frame_description *frame, bool *keep,
                                      struct spgc_error *error) {
  const struct frame_map *map = &builder->map;
  spgc_require(builder->frame_count < builder->expected, "more than %" PRIu64 " return addresses",
               builder->expected);
  struct waiting_entry *waiting = &builder->waiting[builder->frame_count % MAP_WAITING];
  enum spgc_result result = SPGC_OK;
  if (builder->frame_count - builder->entered == MAP_WAITING)
    result = enter_oldest(builder, error);
  spgc_frame_entry_make(frame, &waiting->entry);
  waiting->position = frame->position;
  __builtin_prefetch(&map->entries[frame_map_home(map, frame->return_address)], 1);
  *keep = frame_entry_is_described(&waiting->entry);
  uintptr_t word = frame->return_address.word;
  builder->highest = word > builder->highest ? word : builder->highest;
  builder->frame_count++;
  return result;
}

/* Shrinks the map if that saves at least 1/20. */
static enum spgc_result fit(struct frame_map *map, uint64_t frames, struct spgc_error *error) {
  uint64_t most = map->entry_count - map->entry_count / 20;
  return map->entries != NULL && most <= entries_for(frames) ? SPGC_OK : resize(map, frames, error);
}

/* The descriptions no longer move. Refuses different ones of one return address. */
static enum spgc_result point_to_descriptions(struct frame_map *map, struct spgc_error *error) {
  const struct stackmap_contents *described = map->rest != NULL ? map->rest->described : NULL;
  size_t count = described != NULL ? described->frames.count : 0;
  const struct frame_description *descriptions = described != NULL ? described->frames.data : NULL;
  for (size_t i = 0; i < count; i++) {
    struct frame_entry *entry = frame_map_probe(map, descriptions[i].return_address);
    spgc_require(entry->return_address.word != 0 && frame_entry_is_described(entry),
                 "the description of 0x%" PRIxPTR " was to be dropped",
                 descriptions[i].return_address.word);
    if (entry->description == NULL)
      entry->description = &descriptions[i];
    else if (!spgc_frame_description_equal(entry->description, &descriptions[i]))
      return spgc_frame_map_refuse(entry->return_address, descriptions[i].position, error);
  }
  return SPGC_OK;
}

static int compare_functions(const void *left, const void *right) {
  const struct function_address *a = left, *b = right;
  return (a->word > b->word) - (a->word < b->word);
}

static void sort_functions(struct array *functions) {
  const struct function_address *words = functions->data;
  bool ascending = true;
  for (size_t i = 1; i < functions->count && ascending; i++)
    ascending = words[i - 1].word <= words[i].word;
  if (!ascending)
    qsort(functions->data, functions->count, sizeof *words, compare_functions);
}

/* No return address is before its function. Functions may be beyond the return addresses. */
static void find_extent(struct frame_map_builder *builder, const struct array *functions) {
  const struct function_address *words = functions->data;
  uintptr_t first = functions->count != 0 ? words[0].word : 0,
            last = functions->count != 0 ? words[functions->count - 1].word : 0;
  builder->map.lowest = first;
  builder->map.extent = (last > builder->highest ? last : builder->highest) - first;
}

static enum spgc_result keep_descriptions(struct frame_map *map, struct stackmap_contents *contents,
                                          struct spgc_error *error) {
  map->rest->described = malloc(sizeof *map->rest->described);
  if (map->rest->described == NULL)
    return no_memory(contents->frames.count, error);
  spgc_array_free(&contents->functions);
  spgc_stackmap_contents_trim(contents);
  *map->rest->described = *contents;
  *contents = (struct stackmap_contents){0};
  return SPGC_OK;
}

static enum spgc_result keep_contents(struct frame_map *map, struct stackmap_contents *contents,
                                      struct spgc_error *error) {
  size_t count = contents->functions.count, bytes = count * sizeof(struct function_address);
  if (contents->frames.count == 0 && count <= 1)
    return SPGC_OK;
  map->rest = malloc(sizeof *map->rest + bytes);
  if (map->rest == NULL)
    return no_memory(contents->frames.count, error);
  *map->rest = (struct frame_map_rest){.function_count = count};
  memcpy(map->rest->functions, contents->functions.data, bytes);
  return contents->frames.count != 0 ? keep_descriptions(map, contents, error) : SPGC_OK;
}

enum spgc_result spgc_frame_map_finish(struct frame_map_builder *builder,
                                       struct stackmap_contents *contents, struct frame_map *map,
                                       struct spgc_error *error) {
  enum spgc_result result = enter_waiting(builder, error);
  sort_functions(&contents->functions);
  find_extent(builder, &contents->functions);
  if (result == SPGC_OK)
    result = fit(&builder->map, builder->frame_count - builder->equal, error);
  if (result == SPGC_OK)
    result = keep_contents(&builder->map, contents, error);
  if (result == SPGC_OK)
    result = point_to_descriptions(&builder->map, error);
  if (result != SPGC_OK)
    return result;
  spgc_stackmap_contents_free(contents);
  *map = builder->map;
  *builder = (struct frame_map_builder){0};
  return SPGC_OK;
}

void spgc_frame_map_abandon(struct frame_map_builder *builder) {
  spgc_frame_map_destroy(&builder->map);
}
