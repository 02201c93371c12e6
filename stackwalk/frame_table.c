#include "stackwalk/frame_table.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "stackwalk/unmanaged_code.h"
#include "support/fatal.h"

enum { FIRST_LOGARITHM = 6 };

/* key 0 marks an empty entry. Equations: capacity = 1 << logarithm; 2 * count <= capacity. */
struct entry {
  uintptr_t key;
  union {
    const struct frame_description *frame; /* in the table of frames */
    size_t uses;                           /* in the table of functions: how often live maps list it */
  };
};

struct table {
  struct entry *entries; /* NULL until the first reservation */
  size_t count;
  unsigned logarithm;
};

/* Written under `lock` while no thread walks. */
static struct table frames_by_return_address;
static struct table functions_by_address;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static size_t capacity_of(const struct table *table) {
  return (size_t)1 << table->logarithm;
}

/* Fibonacci hashing: https://en.wikipedia.org/wiki/Hash_function#Fibonacci_hashing */
static size_t home_of(const struct table *table, uintptr_t key) {
  return (size_t)((key * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - table->logarithm));
}

static size_t after(const struct table *table, size_t index) {
  return (index + 1) & (capacity_of(table) - 1);
}

/* The entry with `key`, or the empty one where it belongs. */
static struct entry *probe(const struct table *table, uintptr_t key) {
  size_t index = home_of(table, key);
  while (table->entries[index].key != 0 && table->entries[index].key != key)
    index = after(table, index);
  return &table->entries[index];
}

static struct entry *find(const struct table *table, uintptr_t key) {
  if (table->entries == NULL)
    return NULL;
  struct entry *entry = probe(table, key);
  return entry->key == 0 ? NULL : entry;
}

static struct entry *insert(struct table *table, uintptr_t key) {
  struct entry *entry = probe(table, key);
  if (entry->key == 0) {
    entry->key = key;
    table->count++;
  }
  return entry;
}

static bool reserve(struct table *table, size_t more) {
  size_t needed = table->count + more;
  unsigned logarithm = table->entries == NULL ? FIRST_LOGARITHM : table->logarithm;
  while (((size_t)1 << logarithm) / 2 < needed)
    logarithm++;
  if (table->entries != NULL && logarithm == table->logarithm)
    return true;
  struct table larger = {.entries = calloc((size_t)1 << logarithm, sizeof(struct entry)), .logarithm = logarithm};
  if (larger.entries == NULL)
    return false;
  for (size_t i = 0; table->entries != NULL && i < capacity_of(table); i++)
    if (table->entries[i].key != 0)
      *insert(&larger, table->entries[i].key) = table->entries[i];
  free(table->entries);
  *table = larger;
  return true;
}

/* Moves back every later entry of the run that could not be found past the gap. */
static void erase(struct table *table, struct entry *entry) {
  size_t mask = capacity_of(table) - 1;
  size_t gap = (size_t)(entry - table->entries);
  for (size_t index = after(table, gap); table->entries[index].key != 0; index = after(table, index)) {
    size_t home = home_of(table, table->entries[index].key);
    if (((index - home) & mask) < ((index - gap) & mask))
      continue;
    table->entries[gap] = table->entries[index];
    gap = index;
  }
  table->entries[gap] = (struct entry){0};
  table->count--;
}

static void remove_frames(const struct frame_description *frames, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct entry *entry = find(&frames_by_return_address, frames[i].return_address.word);
    spgc_require(entry != NULL && entry->frame == &frames[i], "return address 0x%" PRIxPTR " is not this map's",
                 frames[i].return_address.word);
    erase(&frames_by_return_address, entry);
  }
}

static enum spgc_result add_frames(const struct frame_description *frames, size_t count, struct spgc_error *error) {
  for (size_t i = 0; i < count; i++) {
    uintptr_t address = frames[i].return_address.word;
    struct entry *entry = insert(&frames_by_return_address, address);
    if (entry->frame != NULL) {
      remove_frames(frames, i);
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, frames[i].position,
                            "return address 0x%" PRIxPTR " of the record at byte %" PRIu64 " has a record already",
                            address, frames[i].position);
    }
    entry->frame = &frames[i];
  }
  return SPGC_OK;
}

static void add_functions(const struct function_address *functions, size_t count) {
  for (size_t i = 0; i < count; i++)
    insert(&functions_by_address, functions[i].word)->uses++;
}

static void remove_functions(const struct function_address *functions, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct entry *entry = find(&functions_by_address, functions[i].word);
    spgc_require(entry != NULL, "function 0x%" PRIxPTR " is not registered", functions[i].word);
    if (--entry->uses == 0)
      erase(&functions_by_address, entry);
  }
}

enum spgc_result spgc_frame_table_add(const struct frame_description *frames, size_t frame_count,
                                      const struct function_address *functions, size_t function_count,
                                      struct spgc_error *error) {
  pthread_mutex_lock(&lock);
  enum spgc_result result;
  if (reserve(&frames_by_return_address, frame_count) && reserve(&functions_by_address, function_count))
    result = add_frames(frames, frame_count, error);
  else
    result = spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "no memory for %zu return addresses", frame_count);
  if (result == SPGC_OK)
    add_functions(functions, function_count);
  spgc_unmanaged_code_forget_all();
  pthread_mutex_unlock(&lock);
  return result;
}

void spgc_frame_table_remove(const struct frame_description *frames, size_t frame_count,
                             const struct function_address *functions, size_t function_count) {
  pthread_mutex_lock(&lock);
  remove_frames(frames, frame_count);
  remove_functions(functions, function_count);
  spgc_unmanaged_code_forget_all();
  pthread_mutex_unlock(&lock);
}

const struct frame_description *spgc_frame_table_find(struct return_address address) {
  const struct entry *entry = find(&frames_by_return_address, address.word);
  return entry == NULL ? NULL : entry->frame;
}

bool spgc_frame_table_has_function(struct function_address function) {
  return find(&functions_by_address, function.word) != NULL;
}
