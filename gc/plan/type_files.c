#include "gc/plan/type_files.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "support/fatal.h"

enum { MOST_FILES = 64, NAME_BYTES = 200 };

struct type_file {
  uintptr_t start, end;
  char name[NAME_BYTES];
};

/* Libraries only: the program stays. Written with the world stopped. A full table drops the
 * oldest. */
static struct type_file files[MOST_FILES];
static unsigned noted;

static struct type_file *file_of(uintptr_t header) {
  for (unsigned i = 0; i < MOST_FILES; i++)
    if (header - files[i].start < files[i].end - files[i].start)
      return &files[i];
  return NULL;
}

static bool is_loaded(const struct type_file *file) {
  struct dl_find_object found;
  return _dl_find_object((void *)file->start, &found) == 0 &&
         (uintptr_t)found.dlfo_map_start == file->start &&
         strncmp(found.dlfo_link_map->l_name, file->name, NAME_BYTES - 1) == 0;
}

static void note(uintptr_t header) {
  struct dl_find_object found;
  struct type_file *file = file_of(header);
  if ((file != NULL && is_loaded(file)) || _dl_find_object((void *)header, &found) != 0 ||
      found.dlfo_link_map->l_name[0] == '\0')
    return;
  if (file == NULL)
    file = &files[noted++ % MOST_FILES];
  file->start = (uintptr_t)found.dlfo_map_start;
  file->end = (uintptr_t)found.dlfo_map_end;
  snprintf(file->name, sizeof file->name, "%s", found.dlfo_link_map->l_name);
}

void spgc_type_files_note(const struct spgc_check *check) {
  for (unsigned i = 0; i < SPGC_CHECKED_TYPES; i++)
    if (check->last_types[i].header != 0)
      note(check->last_types[i].header);
}

bool spgc_type_files_explain(const struct spgc_check *check, uintptr_t header,
                             struct spgc_error *error) {
  const struct type_file *file = file_of(header);
  uint64_t objects = 0;
  if (file == NULL || is_loaded(file))
    return false;
  for (unsigned i = 0; i < SPGC_CHECKED_TYPES; i++)
    if (check->last_types[i].header - file->start < file->end - file->start)
      objects += check->last_types[i].objects;
  spgc_error_set(error, SPGC_ERROR_MALFORMED, header,
                 "%s was unloaded while objects of its types were in memory, %" PRIu64
                 " at the last check: before a library is closed, drop them, and call "
                 "spgc_types_live until it returns 0 (spgc/module.h)",
                 file->name, objects);
  return true;
}
