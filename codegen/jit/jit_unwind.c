#include "codegen/jit/jit_unwind.h"

#include <stdlib.h>
#include <string.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "codegen/emit/eh_frame.h"
#include "codegen/jit/jit_libgcc.h"
#include "spgc/stackwalk.h"
#include "support/fatal.h"

enum { CHUNK_SHIFT = 18, SPARE_ENTRIES = 64, SPARE_SECTIONS = 8 };

/* A function's start and description (FDE), from the arena's base, as in .eh_frame_hdr, which
 * libunwind searches (Linux Standard Base, exception frames). */
struct entry {
  _Alignas(uint64_t) int32_t start;
  int32_t description;
};

_Static_assert(sizeof(struct entry) == sizeof(unw_word_t),
               "libunwind counts the table in words, so in entries");

struct jit_unwind_table {
  unw_dyn_info_t info;
  size_t count, capacity;
  struct entry entries[]; /* ascending by start; some repeat others */
};

/* One object's. */
struct collection {
  const struct jit_arena *arena;
  struct jit_span code;
  struct entry *entries;
  size_t count;
  bool is_outside;
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
  const struct jit_arena *arena = unwind->arena;
  const uint8_t *start = jit_span_start(arena, code);
  return &unwind->chunks[(size_t)(start - arena->areas[JIT_EXECUTABLE].base) >> CHUNK_SHIFT];
}

static void count_function(void *context, const struct described_function *function) {
  ++*(size_t *)context;
}

static void collect_function(void *context, const struct described_function *function) {
  struct collection *collection = context;
  const uint8_t *base = collection->arena->base;
  size_t offset = function->start - (uintptr_t)base - collection->code.offset;
  collection->is_outside |=
      offset > collection->code.size || function->bytes > collection->code.size - offset;
  collection->entries[collection->count++] =
      (struct entry){(int32_t)((intptr_t)function->start - (intptr_t)base),
                     (int32_t)(function->description - base)};
}

static int compare_starts(const void *left, const void *right) {
  int32_t a = ((const struct entry *)left)->start, b = ((const struct entry *)right)->start;
  return (a > b) - (a < b);
}

/* The caller frees the entries, whatever the result. */
static enum spgc_result collect(struct collection *collection, struct jit_frames frames,
                                struct spgc_error *error) {
  size_t count = 0;
  enum spgc_result result =
      spgc_eh_frame_read(frames.start, frames.size, count_function, &count, error);
  if (result != SPGC_OK)
    return result;
  collection->entries = calloc(count + 1, sizeof *collection->entries);
  if (collection->entries == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "out of memory");
  result = spgc_eh_frame_read(frames.start, frames.size, collect_function, collection, error);
  spgc_require(result == SPGC_OK && collection->count == count,
               "the section changed while it was read");
  if (collection->is_outside)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0,
                          "a frame description of the object is for a function outside of it");
  qsort(collection->entries, count, sizeof *collection->entries, compare_starts);
  return SPGC_OK;
}

/* A quarter is spare, so that few additions replace the table. */
static struct jit_unwind_table *create_table(size_t count) {
  size_t capacity = count + count / 4 + SPARE_ENTRIES;
  struct jit_unwind_table *table = malloc(sizeof *table + capacity * sizeof(struct entry));
  if (table != NULL)
    *table = (struct jit_unwind_table){.capacity = capacity};
  return table;
}

static uintptr_t start_of(const struct jit_unwind *unwind, const struct jit_unwind_table *table) {
  return (uintptr_t)unwind->arena->base + (uintptr_t)table->entries[0].start;
}

/* A function's description has the length, the distance to the common record, the start, and the
 * size. */
static uintptr_t end_of(const struct jit_unwind *unwind, const struct jit_unwind_table *table) {
  const struct entry *last = &table->entries[table->count - 1];
  uint32_t bytes;
  memcpy(&bytes, unwind->arena->base + last->description + 3 * sizeof bytes, sizeof bytes);
  return (uintptr_t)unwind->arena->base + (uintptr_t)last->start + bytes;
}

static void register_table(const struct jit_unwind *unwind, struct jit_unwind_table *table) {
  static char name[] = "spgc-jit";
  table->info = (unw_dyn_info_t){.start_ip = start_of(unwind, table),
                                 .end_ip = end_of(unwind, table),
                                 .format = UNW_INFO_FORMAT_REMOTE_TABLE};
  table->info.u.rti.name_ptr = (unw_word_t)name;
  table->info.u.rti.segbase = (uintptr_t)unwind->arena->base;
  table->info.u.rti.table_len = table->count;
  table->info.u.rti.table_data = (unw_word_t)table->entries;
  _U_dyn_register(&table->info);
}

static void replace_table(const struct jit_unwind *unwind, struct jit_unwind_chunk *chunk,
                          struct jit_unwind_table *table) {
  struct jit_unwind_table *old = chunk->table;
  if (table != NULL)
    register_table(unwind, table);
  chunk->table = table;
  if (old != NULL)
    _U_dyn_cancel(&old->info);
  unw_flush_cache(unw_local_addr_space, 0, 0);
  if (old != NULL)
    spgc_walk_wait();
  free(old);
}

/* A walker that sees the new length also sees the entries. The code does not run yet. */
static bool append(const struct jit_unwind *unwind, struct jit_unwind_table *table,
                   const struct collection *added) {
  if (table == NULL || table->capacity - table->count < added->count ||
      table->entries[table->count - 1].start >= added->entries[0].start)
    return false;
  memcpy(table->entries + table->count, added->entries, added->count * sizeof *added->entries);
  table->count += added->count;
  __atomic_store_n(&table->info.u.rti.table_len, table->count, __ATOMIC_RELEASE);
  __atomic_store_n(&table->info.end_ip, end_of(unwind, table), __ATOMIC_RELEASE);
  return true;
}

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

static void take_over(struct jit_unwind_table *to, const struct entry *entries, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (to->count == 0 || memcmp(&to->entries[to->count - 1], &entries[i], sizeof *entries) != 0)
      to->entries[to->count++] = entries[i];
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

static size_t count_different(const struct jit_unwind_table *table) {
  size_t count = 0;
  for (size_t i = 0; table != NULL && i < table->count; i++)
    count += i == 0 || table->entries[i].start != table->entries[i - 1].start;
  return count;
}

/* An object's functions are adjacent, because its code is. */
static bool add_to_table(const struct jit_unwind *unwind, struct jit_unwind_chunk *chunk,
                         const struct collection *added) {
  if (append(unwind, chunk->table, added))
    return true;
  struct jit_unwind_table *table = create_table(added->count + count_different(chunk->table));
  if (table == NULL)
    return false;
  merge(table, chunk->table, added);
  replace_table(unwind, chunk, table);
  return true;
}

/* One store, because walkers read entries concurrently. */
static void overwrite(struct entry *entry, const struct entry *by) {
  uint64_t word;
  memcpy(&word, by, sizeof word);
  __atomic_store_n((uint64_t *)(void *)entry, word, __ATOMIC_RELEASE);
}

/* Makes [first, end) repeat a neighbour. The table stays sorted after each store. */
static void overwrite_all(struct jit_unwind_table *table, size_t first, size_t end) {
  struct entry *entries = table->entries;
  for (size_t i = first; i < end && first > 0; i++)
    overwrite(&entries[i], &entries[first - 1]);
  for (size_t i = end; i > 0 && first == 0; i--)
    overwrite(&entries[i - 1], &entries[end]);
}

static void remove_from_table(const struct jit_unwind *unwind, struct jit_unwind_chunk *chunk,
                              struct jit_span code) {
  struct jit_unwind_table *table = chunk->table;
  size_t first = count_before(table, code.offset),
         end = count_before(table, (int64_t)code.offset + code.size);
  if (end - first == table->count) {
    replace_table(unwind, chunk, NULL);
    return;
  }
  overwrite_all(table, first, end);
  __atomic_store_n(&table->info.start_ip, start_of(unwind, table), __ATOMIC_RELEASE);
  __atomic_store_n(&table->info.end_ip, end_of(unwind, table), __ATOMIC_RELEASE);
  unw_flush_cache(unw_local_addr_space, 0, 0);
}

static void replace_list(struct jit_unwind_chunk *chunk, size_t count) {
  const uint8_t **old = chunk->lists[0];
  if (count > 0)
    spgc_jit_libgcc_add_all(chunk->lists[1],
                            (uintptr_t *)(chunk->lists[1] + chunk->section_capacity + 1));
  if (chunk->section_count > 0)
    spgc_jit_libgcc_remove_all(old);
  chunk->lists[0] = chunk->lists[1];
  chunk->lists[1] = old;
  chunk->section_count = count;
}

static bool grow_lists(struct jit_unwind_chunk *chunk, const uint8_t ***spare) {
  size_t capacity = chunk->section_count + chunk->section_count / 4 + SPARE_SECTIONS;
  size_t words = capacity + 1 + JIT_LIBGCC_RECORD_WORDS;
  const uint8_t **next = (const uint8_t **)calloc(words, sizeof *next);
  *spare = (const uint8_t **)calloc(words, sizeof **spare);
  if (next == NULL || *spare == NULL) {
    free((void *)next);
    free((void *)*spare);
    return false;
  }
  free((void *)chunk->lists[1]);
  chunk->lists[1] = next;
  chunk->section_capacity = capacity;
  return true;
}

static bool add_section(struct jit_unwind_chunk *chunk, const uint8_t *frames) {
  size_t count = chunk->section_count;
  const uint8_t **spare = NULL;
  if (count == chunk->section_capacity && !grow_lists(chunk, &spare))
    return false;
  if (count > 0)
    memcpy((void *)chunk->lists[1], (const void *)chunk->lists[0], count * sizeof *chunk->lists[0]);
  chunk->lists[1][count] = frames;
  chunk->lists[1][count + 1] = NULL;
  replace_list(chunk, count + 1);
  if (spare == NULL)
    return true;
  free((void *)chunk->lists[1]);
  chunk->lists[1] = spare;
  return true;
}

static void free_lists(struct jit_unwind_chunk *chunk) {
  free((void *)chunk->lists[0]);
  free((void *)chunk->lists[1]);
  chunk->lists[0] = chunk->lists[1] = NULL;
  chunk->section_capacity = 0;
}

static void remove_section(struct jit_unwind_chunk *chunk, const uint8_t *frames) {
  size_t kept = 0;
  for (size_t i = 0; i < chunk->section_count; i++)
    if (chunk->lists[0][i] != frames)
      chunk->lists[1][kept++] = chunk->lists[0][i];
  chunk->lists[1][kept] = NULL;
  replace_list(chunk, kept);
  if (kept == 0)
    free_lists(chunk);
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

static bool add_all(struct jit_unwind *unwind, const uint8_t *frames,
                    const struct collection *added) {
  struct jit_unwind_chunk *chunk = chunk_of(unwind, added->code);
  if (!add_to_table(unwind, chunk, added))
    return false;
  if (tell_libgcc(chunk, frames))
    return true;
  remove_from_table(unwind, chunk, added->code);
  return false;
}

enum spgc_result spgc_jit_unwind_add(struct jit_unwind *unwind, struct jit_frames frames,
                                     struct jit_span code, bool *is_added,
                                     struct spgc_error *error) {
  struct collection added = {.arena = unwind->arena, .code = code};
  enum spgc_result result = collect(&added, frames, error);
  *is_added = result == SPGC_OK && added.count > 0 && add_all(unwind, frames.start, &added);
  if (result == SPGC_OK && added.count > 0 && !*is_added)
    result = spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                            "cannot register unwind information: out of memory");
  free(added.entries);
  return result;
}

void spgc_jit_unwind_remove(struct jit_unwind *unwind, const uint8_t *frames,
                            struct jit_span code) {
  struct jit_unwind_chunk *chunk = chunk_of(unwind, code);
  withdraw_from_libgcc(chunk, frames);
  remove_from_table(unwind, chunk, code);
}
