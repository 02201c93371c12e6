#include "codegen/jit/jit_unwind.h"

#include <stdlib.h>
#include <string.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "codegen/emit/eh_frame.h"
#include "spgc/stackwalk.h"
#include "support/fatal.h"

_Static_assert(sizeof(struct jit_unwind_entry) == sizeof(unw_word_t),
               "libunwind counts the table in words, so in entries");

/* A table registered with libunwind. It never changes while it is registered. */
struct jit_unwind_version {
  unw_dyn_info_t info;
  size_t count;
  struct jit_unwind_entry entries[]; /* ascending by start */
};

static struct jit_unwind_version *version_create(size_t capacity) {
  struct jit_unwind_version *version =
      calloc(1, sizeof *version + capacity * sizeof(struct jit_unwind_entry));
  spgc_require(version != NULL, "out of memory");
  return version;
}

static void publish(struct jit_unwind *unwind, struct jit_unwind_version *version) {
  static char name[] = "spgc-jit";
  uintptr_t base = (uintptr_t)unwind->arena->base;
  if (version->count != 0) {
    version->info = (unw_dyn_info_t){.start_ip = base,
                                     .end_ip = base + unwind->arena->size,
                                     .format = UNW_INFO_FORMAT_REMOTE_TABLE};
    version->info.u.rti.name_ptr = (unw_word_t)name;
    version->info.u.rti.segbase = base;
    version->info.u.rti.table_len = version->count;
    version->info.u.rti.table_data = (unw_word_t)version->entries;
    _U_dyn_register(&version->info);
  }
  struct jit_unwind_version *old = unwind->current;
  if (old != NULL)
    _U_dyn_cancel(&old->info);
  unw_flush_cache(unw_local_addr_space, 0, 0);
  spgc_walk_wait();
  free(old);
  unwind->current = version->count != 0 ? version : NULL;
  if (version->count == 0)
    free(version);
}

struct collection {
  const struct jit_arena *arena;
  struct jit_unwind_version *version;
};

static void count_description(void *context, const uint8_t *description, uintptr_t function) {
  ++*(size_t *)context;
}

static void collect_description(void *context, const uint8_t *description, uintptr_t function) {
  struct collection *collection = context;
  const uint8_t *base = collection->arena->base;
  collection->version->entries[collection->version->count++] = (struct jit_unwind_entry){
      .start = (int32_t)((intptr_t)function - (intptr_t)base),
      .description = (int32_t)(description - base),
  };
}

static int compare_starts(const void *left, const void *right) {
  int32_t a = ((const struct jit_unwind_entry *)left)->start,
          b = ((const struct jit_unwind_entry *)right)->start;
  return (a > b) - (a < b);
}

enum spgc_result spgc_jit_unwind_add(struct jit_unwind *unwind, const uint8_t *frames, size_t size,
                                     struct spgc_error *error) {
  size_t added = 0, kept = unwind->current != NULL ? unwind->current->count : 0;
  enum spgc_result result = spgc_eh_frame_read(frames, size, count_description, &added, error);
  if (result != SPGC_OK || added == 0)
    return result;
  struct jit_unwind_version *version = version_create(kept + added);
  if (kept != 0)
    memcpy(version->entries, unwind->current->entries, kept * sizeof *version->entries);
  version->count = kept;
  struct collection collection = {unwind->arena, version};
  result = spgc_eh_frame_read(frames, size, collect_description, &collection, error);
  spgc_require(result == SPGC_OK && version->count == kept + added,
               "the section changed while it was read");
  qsort(version->entries, version->count, sizeof *version->entries, compare_starts);
  publish(unwind, version);
  return SPGC_OK;
}

void spgc_jit_unwind_remove(struct jit_unwind *unwind, const uint8_t *frames, size_t size) {
  if (unwind->current == NULL)
    return;
  struct jit_unwind_version *version = version_create(unwind->current->count);
  ptrdiff_t first = frames - unwind->arena->base;
  for (size_t i = 0; i < unwind->current->count; i++) {
    struct jit_unwind_entry entry = unwind->current->entries[i];
    if (entry.description < first || entry.description >= first + (ptrdiff_t)size)
      version->entries[version->count++] = entry;
  }
  publish(unwind, version);
}
