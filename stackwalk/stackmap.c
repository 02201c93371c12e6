#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "spgc/stackmap.h"
#include "stackwalk/frame_map_builder.h"
#include "stackwalk/frame_table.h"
#include "stackwalk/loaded_maps.h"
#include "stackwalk/stackmap_parser.h"
#include "stackwalk/walkers.h"
#include "support/cancellation.h"
#include "support/fatal.h"

struct spgc_stackmap {
  struct frame_map frames;
};

/* Also the source of the owners that version 1 leaves out. */
struct section_source {
  const void *bytes;
  size_t size;
  const struct record_owner_source *owners;
  bool is_loaded; /* with the file that has the code */
};

static enum spgc_result expect_frames(void *context, uint64_t count, struct spgc_error *error) {
  return spgc_frame_map_expect(context, count, error);
}

static enum spgc_result enter_frame(void *context, const struct frame_description *frame,
                                    bool *keep, struct spgc_error *error) {
  return spgc_frame_map_enter(context, frame, keep, error);
}

static enum spgc_result make_map(const struct section_source *source, struct frame_map *map,
                                 struct spgc_error *error) {
  struct frame_map_builder builder = {0};
  const struct frame_taker taker = {&builder, source->is_loaded, expect_frames, enter_frame};
  struct stackmap_contents contents;
  enum spgc_result result =
      spgc_stackmap_parse(source->bytes, source->size, source->owners, &taker, &contents, error);
  if (result == SPGC_OK)
    result = spgc_frame_map_finish(&builder, &contents, map, error);
  spgc_frame_map_abandon(&builder);
  spgc_stackmap_contents_free(&contents);
  return result;
}

static enum spgc_result expect_any(void *context, uint64_t count, struct spgc_error *error) {
  (void)context, (void)count, (void)error;
  return SPGC_OK;
}

static enum spgc_result refuse_claimed(void *context, const struct frame_description *frame,
                                       bool *keep, struct spgc_error *error) {
  const struct return_address *claimed = context;
  *keep = false;
  if (frame->return_address.word != claimed->word)
    return SPGC_OK;
  return spgc_frame_map_refuse(*claimed, frame->position, error);
}

/* Reads the section again for the record's position. */
static enum spgc_result refuse(const struct section_source *source, struct return_address claimed,
                               struct spgc_error *error) {
  const struct frame_taker taker = {&claimed, false, expect_any, refuse_claimed};
  struct stackmap_contents contents;
  enum spgc_result result =
      spgc_stackmap_parse(source->bytes, source->size, source->owners, &taker, &contents, error);
  spgc_stackmap_contents_free(&contents);
  return result != SPGC_OK ? result : spgc_frame_map_refuse(claimed, 0, error);
}

static enum spgc_result enter_map(const struct section_source *source, struct frame_map *map,
                                  struct spgc_error *error) {
  struct return_address claimed = {0};
  enum spgc_result result = make_map(source, map, error);
  if (result != SPGC_OK)
    return result;
  result = spgc_frame_table_add(map, &claimed, error);
  if (result == SPGC_OK)
    return SPGC_OK;
  spgc_frame_map_destroy(map);
  return result == SPGC_ERROR_MALFORMED ? refuse(source, claimed, error) : result;
}

static enum spgc_result register_section(const struct section_source *source,
                                         struct spgc_stackmap **stackmap,
                                         struct spgc_error *error) {
  struct spgc_stackmap *map = calloc(1, sizeof *map);
  if (map == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "cannot allocate a stack map: out of memory");
  enum spgc_result result = enter_map(source, &map->frames, error);
  if (result == SPGC_OK)
    *stackmap = map;
  else
    free(map);
  return result;
}

static void require_section(const char *call, const void *section, size_t size,
                            struct spgc_stackmap **stackmap) {
  spgc_require(section != NULL || size == 0, "%s: the section's %zu bytes are at null", call, size);
  spgc_require(stackmap != NULL, "%s: no place for the stack map is given", call);
}

enum spgc_result spgc_stackmap_register(const void *section, size_t size,
                                        struct spgc_stackmap **stackmap, struct spgc_error *error) {
  require_section(__func__, section, size, stackmap);
  return spgc_stackmap_register_v1(section, size, NULL, NULL, stackmap, error);
}

enum spgc_result spgc_stackmap_register_v1(const void *section, size_t size,
                                           spgc_stackmap_function_of function_of, void *context,
                                           struct spgc_stackmap **stackmap,
                                           struct spgc_error *error) {
  require_section(__func__, section, size, stackmap);
  const struct record_owner_source owners = {function_of, context};
  const struct section_source source = {section, size, &owners, false};
  return register_section(&source, stackmap, error);
}

enum spgc_result spgc_stackmap_register_loaded(const void *section, size_t size,
                                               struct spgc_stackmap **stackmap,
                                               struct spgc_error *error) {
  const struct record_owner_source unknown = {0};
  const struct section_source source = {section, size, &unknown, true};
  return register_section(&source, stackmap, error);
}

void spgc_stackmap_unregister(struct spgc_stackmap *stackmap) {
  if (stackmap == NULL)
    return;
  spgc_frame_table_remove(&stackmap->frames);
  spgc_frame_map_destroy(&stackmap->frames);
  free(stackmap);
}

size_t spgc_stackmap_record_count(const struct spgc_stackmap *stackmap) {
  spgc_require_use(stackmap != NULL, "no stack map is given");
  return spgc_frame_map_frame_count(&stackmap->frames);
}

struct found_sites {
  uintptr_t *addresses;
  size_t room, count;
};

static void note_site(void *context, struct return_address address) {
  struct found_sites *found = context;
  if (found->count < found->room)
    found->addresses[found->count] = address.word;
  found->count++;
}

size_t spgc_stackmap_call_sites(uint64_t id, uintptr_t *return_addresses, size_t room) {
  struct found_sites found = {return_addresses, room, 0};
  spgc_require_use(return_addresses != NULL || room == 0, "no array for %zu addresses is given",
                   room);
  SPGC_UNCANCELLED;
  unsigned entered = spgc_walkers_enter();
  spgc_frame_table_find_calls(id, note_site, &found);
  spgc_walkers_leave(entered);
  return found.count;
}

/* The first `length` bytes are complete lines. */
struct frame_text {
  char bytes[16384];
  size_t length;
};

static void write_location(struct frame_text *text, const char *kind,
                           const struct location *location) {
  size_t room = sizeof text->bytes - text->length;
  char *end = text->bytes + text->length;
  int length = location->in_register ? snprintf(end, room, "%s register %u\n", kind, location->reg)
                                     : snprintf(end, room, "%s slot %u %" PRId32 " %u\n", kind,
                                                location->reg, location->offset, location->words);
  if (length > 0 && (size_t)length < room)
    text->length += (size_t)length;
  else
    *end = '\0';
}

static void write_frame(struct frame_text *text, const struct frame_description *description) {
  text->length = 0;
  text->bytes[0] = '\0';
  for (uint32_t i = 0; i < description->base_count; i++)
    write_location(text, "base", &description->bases[i]);
  for (uint32_t i = 0; i < description->derived_count; i++)
    if (description->derived[i].rewritten)
      write_location(text, "derived", &description->derived[i].location);
}

const char *spgc_stackmap_frame_text(uintptr_t return_address) {
  static struct frame_text text;
  SPGC_UNCANCELLED;
  unsigned entered = spgc_walkers_enter();
  const struct frame_entry *entry = frame_table_find((struct return_address){return_address});
  if (entry != NULL) {
    struct entry_description room;
    write_frame(&text, spgc_frame_entry_description(entry, &room));
  }
  spgc_walkers_leave(entered);
  return entry != NULL ? text.bytes : NULL;
}
