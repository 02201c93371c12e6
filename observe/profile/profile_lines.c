#include "observe/profile/profile_lines.h"

#include <string.h>

#include "gc/inspect.h"
#include "support/log.h"

static const struct spgc_profile_mapping *mapping_of(const struct spgc_profile_tables *tables,
                                                     const struct spgc_profile_place *place) {
  return place->mapping != SPGC_PROFILE_NONE ? spgc_sequence_at(&tables->mappings, place->mapping)
                                             : NULL;
}

static struct spgc_profile_place *place_at(const struct spgc_profile_tables *tables,
                                           uint32_t number) {
  return spgc_sequence_value(&tables->places, number);
}

static bool is_open(const struct spgc_profile_tables *tables,
                    const struct spgc_profile_place *place, uint32_t file) {
  const struct spgc_profile_mapping *mapping = mapping_of(tables, place);
  return mapping != NULL && mapping->file == file && !place->is_described;
}

static void describe(struct spgc_profile_tables *tables, struct spgc_profile_place *place,
                     struct spgc_code_file *file) {
  struct spgc_code_line found = spgc_code_file_find(file, place->file_address);
  if (found.function != NULL)
    place->function = spgc_profile_string(tables, found.function);
  if (found.source != NULL)
    place->source = spgc_profile_string(tables, found.source);
  place->line = found.line;
}

/* From the file's first place. */
static void describe_file(struct spgc_profile_tables *tables, uint32_t first, uint32_t name) {
  struct spgc_code_file *file =
      spgc_code_file_open(spgc_profile_text(tables, name), place_at(tables, first)->is_program);
  for (uint32_t number = first; number < tables->places.count; number++) {
    struct spgc_profile_place *place = place_at(tables, number);
    if (!is_open(tables, place, name))
      continue;
    place->is_described = true;
    if (file != NULL)
      describe(tables, place, file);
  }
  spgc_code_file_close(file);
}

/* The first place from `number` onwards for which a file may have more; or the number of places. */
static uint32_t next_open(const struct spgc_profile_tables *tables, uint32_t number) {
  while (number < tables->places.count && (place_at(tables, number)->is_described ||
                                           mapping_of(tables, place_at(tables, number)) == NULL))
    number++;
  return number;
}

static void describe_all(void *context) {
  struct spgc_profile_tables *tables = context;
  for (uint32_t number = 0; (number = next_open(tables, number)) < tables->places.count;)
    describe_file(tables, number, mapping_of(tables, place_at(tables, number))->file);
}

void spgc_profile_find_lines(struct spgc_profile_tables *tables) {
  if (!spgc_code_lines_exist() || next_open(tables, 0) == tables->places.count)
    return;
  int refused = spgc_line_thread_call(describe_all, tables);
  if (refused != 0)
    spgc_log("profile: it has no source lines, because the system refuses the thread that finds "
             "them: %s",
             strerrordesc_np(refused));
}
