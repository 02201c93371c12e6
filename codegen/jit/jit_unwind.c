#include "codegen/jit/jit_unwind.h"

#include <stdlib.h>
#include <string.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "codegen/emit/eh_frame.h"
#include "codegen/jit/jit_libgcc.h"
#include "spgc/stackwalk.h"
#include "support/fatal.h"

enum { CHUNK_SHIFT = 18, LEAST_CAPACITY = 64 };

/* One entry of a table, both numbers relative to the arena's base: the start of a function, and its
 * description (FDE). The layout is that of .eh_frame_hdr (Linux Standard Base, exception frames),
 * which libunwind searches. */
struct entry {
  int32_t start, description;
};

_Static_assert(sizeof(struct entry) == sizeof(unw_word_t),
               "libunwind counts the table in words, so in entries");

/* Registered with libunwind. */
struct jit_unwind_table {
  unw_dyn_info_t info;
  size_t count, capacity;
  struct entry entries[]; /* ascending by start */
};

/* The entries of one object. */
struct collection {
  const struct jit_arena *arena;
  struct jit_span code;
  struct entry *entries;
  size_t count;
  bool is_outside; /* a function is not in the object's code */
};

bool spgc_jit_unwind_open(struct jit_unwind *unwind, const struct jit_arena *arena) {
  size_t count = arena->areas[JIT_EXECUTABLE].size >> CHUNK_SHIFT;
  *unwind = (struct jit_unwind){.arena = arena, .chunks = calloc(count, sizeof *unwind->chunks)};
  return unwind->chunks != NULL;
}

void spgc_jit_unwind_close(struct jit_unwind *unwind) {
  free(unwind->chunks);
}

static struct jit_unwind_chunk *chunk_of(const struct jit_unwind *unwind, struct jit_span code) {
  return &unwind->chunks[(size_t)(code.start - unwind->arena->areas[JIT_EXECUTABLE].base) >>
                         CHUNK_SHIFT];
}

/* ---- The functions of an object ---- */

static void count_description(void *context, const uint8_t *description, uintptr_t function) {
  ++*(size_t *)context;
}

static void collect_description(void *context, const uint8_t *description, uintptr_t function) {
  struct collection *collection = context;
  const uint8_t *base = collection->arena->base;
  collection->is_outside |= function - (uintptr_t)collection->code.start >= collection->code.size;
  collection->entries[collection->count++] =
      (struct entry){(int32_t)((intptr_t)function - (intptr_t)base), (int32_t)(description - base)};
}

static int compare_starts(const void *left, const void *right) {
  int32_t a = ((const struct entry *)left)->start, b = ((const struct entry *)right)->start;
  return (a > b) - (a < b);
}

/* The caller must free the entries, whatever the result. */
static enum spgc_result collect(struct collection *collection, const uint8_t *frames, size_t size,
                                struct spgc_error *error) {
  size_t count = 0;
  enum spgc_result result = spgc_eh_frame_read(frames, size, count_description, &count, error);
  if (result != SPGC_OK)
    return result;
  collection->entries = calloc(count + 1, sizeof *collection->entries);
  if (collection->entries == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "out of memory");
  result = spgc_eh_frame_read(frames, size, collect_description, collection, error);
  spgc_require(result == SPGC_OK && collection->count == count,
               "the section changed while it was read");
  if (collection->is_outside)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0,
                          "a frame description of the object is of a function outside of it");
  qsort(collection->entries, count, sizeof *collection->entries, compare_starts);
  return SPGC_OK;
}

/* ---- libunwind ---- */

static struct jit_unwind_table *create_table(size_t count) {
  size_t capacity = LEAST_CAPACITY;
  while (capacity < count)
    capacity *= 2;
  struct jit_unwind_table *table = malloc(sizeof *table + capacity * sizeof(struct entry));
  if (table != NULL)
    *table = (struct jit_unwind_table){.capacity = capacity};
  return table;
}

/* The end of the code of the chunk's last object. */
static uintptr_t end_of(const struct jit_unwind_chunk *chunk) {
  const struct jit_unwind_object *last =
      (const struct jit_unwind_object *)spgc_address_tree_before(chunk->objects.root, UINTPTR_MAX);
  return (uintptr_t)last->code.start + last->code.size;
}

static void register_table(const struct jit_unwind *unwind, struct jit_unwind_table *table,
                           uintptr_t end) {
  static char name[] = "spgc-jit";
  uintptr_t base = (uintptr_t)unwind->arena->base;
  table->info = (unw_dyn_info_t){.start_ip = base + (uintptr_t)table->entries[0].start,
                                 .end_ip = end,
                                 .format = UNW_INFO_FORMAT_REMOTE_TABLE};
  table->info.u.rti.name_ptr = (unw_word_t)name;
  table->info.u.rti.segbase = base;
  table->info.u.rti.table_len = table->count;
  table->info.u.rti.table_data = (unw_word_t)table->entries;
  _U_dyn_register(&table->info);
}

static void replace_table(const struct jit_unwind *unwind, struct jit_unwind_chunk *chunk,
                          struct jit_unwind_table *table, uintptr_t end) {
  struct jit_unwind_table *old = chunk->table;
  if (table != NULL)
    register_table(unwind, table, end);
  chunk->table = table;
  if (old != NULL)
    _U_dyn_cancel(&old->info);
  unw_flush_cache(unw_local_addr_space, 0, 0);
  if (old != NULL)
    spgc_walk_wait();
  free(old);
}

/* Readers that see the new length see the entries. The code does not run yet. */
static bool append(struct jit_unwind_table *table, const struct collection *added) {
  if (table == NULL || table->capacity - table->count < added->count ||
      table->entries[table->count - 1].start >= added->entries[0].start)
    return false;
  memcpy(table->entries + table->count, added->entries, added->count * sizeof *added->entries);
  table->count += added->count;
  __atomic_store_n(&table->info.u.rti.table_len, table->count, __ATOMIC_RELEASE);
  __atomic_store_n(&table->info.end_ip, (uintptr_t)added->code.start + added->code.size,
                   __ATOMIC_RELEASE);
  return true;
}

/* The number of entries that start before an address relative to the base. */
static size_t count_before(const struct jit_unwind_table *table, int64_t start) {
  size_t low = 0, high = table->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (table->entries[middle].start < start)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Appends entries, which may be none. */
static void take_over(struct jit_unwind_table *to, const struct entry *entries, size_t count) {
  if (count > 0)
    memcpy(to->entries + to->count, entries, count * sizeof *entries);
  to->count += count;
}

static void merge(struct jit_unwind_table *into, const struct jit_unwind_table *old,
                  const struct collection *added) {
  size_t before = old != NULL ? count_before(old, added->entries[0].start) : 0;
  if (old != NULL)
    take_over(into, old->entries, before);
  take_over(into, added->entries, added->count);
  if (old != NULL)
    take_over(into, old->entries + before, old->count - before);
}

/* The functions of an object are next to each other, because its code is. */
static bool add_to_table(const struct jit_unwind *unwind, struct jit_unwind_chunk *chunk,
                         const struct collection *added, uintptr_t end) {
  if (append(chunk->table, added))
    return true;
  struct jit_unwind_table *table =
      create_table(added->count + (chunk->table != NULL ? chunk->table->count : 0));
  if (table == NULL)
    return false;
  merge(table, chunk->table, added);
  replace_table(unwind, chunk, table, end);
  return true;
}

static void remove_from_table(const struct jit_unwind *unwind, struct jit_unwind_chunk *chunk,
                              const struct jit_unwind_object *object) {
  if (chunk->objects.root == NULL) {
    replace_table(unwind, chunk, NULL, 0);
    return;
  }
  const struct jit_unwind_table *old = chunk->table;
  struct jit_unwind_table *table = create_table(old->count);
  spgc_require(table != NULL, "out of memory");
  int64_t start = object->code.start - unwind->arena->base;
  size_t before = count_before(old, start),
         until = count_before(old, start + (int64_t)object->code.size);
  take_over(table, old->entries, before);
  take_over(table, old->entries + until, old->count - until);
  replace_table(unwind, chunk, table, end_of(chunk));
}

/* ---- libgcc ---- */

/* Registers `sections` in place of those of the chunk that were registered before. */
static void replace_sections(struct jit_unwind_chunk *chunk, const uint8_t **sections,
                             size_t count) {
  const uint8_t **old = chunk->sections;
  if (sections != NULL)
    spgc_jit_libgcc_add_all(sections);
  chunk->sections = sections;
  chunk->section_count = count;
  if (old != NULL)
    spgc_jit_libgcc_remove_all(old);
  free((void *)old);
}

static bool add_section(struct jit_unwind_chunk *chunk, const uint8_t *frames) {
  size_t count = chunk->section_count;
  const uint8_t **sections = (const uint8_t **)malloc((count + 2) * sizeof *sections);
  if (sections == NULL)
    return false;
  if (count > 0)
    memcpy((void *)sections, (const void *)chunk->sections, count * sizeof *sections);
  sections[count] = frames;
  sections[count + 1] = NULL;
  replace_sections(chunk, sections, count + 1);
  return true;
}

static void remove_section(struct jit_unwind_chunk *chunk, const uint8_t *frames) {
  size_t count = chunk->section_count, kept = 0;
  const uint8_t **sections = count > 1 ? (const uint8_t **)calloc(count, sizeof *sections) : NULL;
  spgc_require(count <= 1 || sections != NULL, "out of memory");
  for (size_t i = 0; i < count; i++)
    if (chunk->sections[i] != frames)
      sections[kept++] = chunk->sections[i];
  replace_sections(chunk, sections, kept);
}

static bool tell_libgcc(struct jit_unwind_chunk *chunk, const uint8_t *frames) {
  enum jit_libgcc kind = spgc_jit_libgcc_kind();
  if (kind == JIT_LIBGCC_TREE)
    spgc_jit_libgcc_add(frames);
  return kind != JIT_LIBGCC_LIST || add_section(chunk, frames);
}

static void withdraw_from_libgcc(struct jit_unwind_chunk *chunk, const uint8_t *frames) {
  enum jit_libgcc kind = spgc_jit_libgcc_kind();
  if (kind == JIT_LIBGCC_TREE)
    spgc_jit_libgcc_remove(frames);
  else if (kind == JIT_LIBGCC_LIST)
    remove_section(chunk, frames);
}

/* ---- Objects ---- */

static bool add_object(struct jit_unwind *unwind, struct jit_unwind_object *object,
                       const struct collection *added) {
  struct jit_unwind_chunk *chunk = chunk_of(unwind, object->code);
  spgc_address_tree_insert(&chunk->objects, &object->node);
  if (add_to_table(unwind, chunk, added, end_of(chunk))) {
    if (tell_libgcc(chunk, object->frames))
      return true;
    spgc_address_tree_remove(&chunk->objects, &object->node);
    remove_from_table(unwind, chunk, object);
    return false;
  }
  spgc_address_tree_remove(&chunk->objects, &object->node);
  return false;
}

enum spgc_result spgc_jit_unwind_add(struct jit_unwind *unwind, struct jit_unwind_object *object,
                                     const uint8_t *frames, size_t size, struct jit_span code,
                                     struct spgc_error *error) {
  struct collection added = {.arena = unwind->arena, .code = code};
  enum spgc_result result = collect(&added, frames, size, error);
  if (result == SPGC_OK && added.count > 0) {
    *object = (struct jit_unwind_object){
        .node.key = (uintptr_t)code.start, .frames = frames, .size = size, .code = code};
    if (!add_object(unwind, object, &added)) {
      *object = (struct jit_unwind_object){0};
      result = spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                              "cannot register unwind information: out of memory");
    }
  }
  free(added.entries);
  return result;
}

void spgc_jit_unwind_remove(struct jit_unwind *unwind, struct jit_unwind_object *object) {
  if (object->frames == NULL)
    return;
  struct jit_unwind_chunk *chunk = chunk_of(unwind, object->code);
  withdraw_from_libgcc(chunk, object->frames);
  spgc_address_tree_remove(&chunk->objects, &object->node);
  remove_from_table(unwind, chunk, object);
  *object = (struct jit_unwind_object){0};
}
