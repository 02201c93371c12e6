#include "stackwalk/frame_table.h"

#include <inttypes.h>
#include <pthread.h>

#include "stackwalk/unmanaged_code.h"
#include "support/fatal.h"

struct function_entry {
  struct function_address function; /* the key */
  size_t uses;                      /* how often live maps list it */
};

/* Written with the table locked. */
struct address_table spgc_frame_entries; /* of struct frame_entry */
static struct address_table functions;   /* of struct function_entry */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void spgc_frame_table_hold(void) {
  pthread_rwlock_rdlock(&lock);
}

void spgc_frame_table_let_go(void) {
  pthread_rwlock_unlock(&lock);
}

void spgc_frame_table_lock(void) {
  pthread_rwlock_wrlock(&lock);
}

void spgc_frame_table_unlock(void) {
  pthread_rwlock_unlock(&lock);
}

static struct function_entry *find_function(struct function_address function) {
  return address_table_find(&functions, function.word, sizeof(struct function_entry));
}

static void remove_frames(const struct frame_description *frames, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct frame_entry *entry = frame_table_find(frames[i].return_address);
    spgc_require(entry != NULL && entry->description == &frames[i], "return address 0x%" PRIxPTR " is not this map's",
                 frames[i].return_address.word);
    spgc_address_table_erase(&spgc_frame_entries, entry, sizeof *entry);
  }
}

static enum spgc_result add_frames(const struct frame_description *frames, size_t count, struct spgc_error *error) {
  for (size_t i = 0; i < count; i++) {
    uintptr_t address = frames[i].return_address.word;
    struct frame_entry *entry = spgc_address_table_insert(&spgc_frame_entries, address, sizeof *entry);
    if (entry->description != NULL) {
      remove_frames(frames, i);
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, frames[i].position,
                            "return address 0x%" PRIxPTR " of the record at byte %" PRIu64 " has a record already",
                            address, frames[i].position);
    }
    spgc_frame_entry_describe(entry, &frames[i]);
  }
  return SPGC_OK;
}

static void add_functions(const struct function_address *added, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct function_entry *entry = spgc_address_table_insert(&functions, added[i].word, sizeof *entry);
    entry->uses++;
  }
}

static void remove_functions(const struct function_address *removed, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct function_entry *entry = find_function(removed[i]);
    spgc_require(entry != NULL, "function 0x%" PRIxPTR " is not registered", removed[i].word);
    if (--entry->uses == 0)
      spgc_address_table_erase(&functions, entry, sizeof *entry);
  }
}

static bool reserve(size_t frame_count, size_t function_count) {
  return spgc_address_table_reserve(&spgc_frame_entries, frame_count, sizeof(struct frame_entry)) &&
         spgc_address_table_reserve(&functions, function_count, sizeof(struct function_entry));
}

enum spgc_result spgc_frame_table_add(const struct frame_description *frames, size_t frame_count,
                                      const struct function_address *added, size_t function_count,
                                      struct spgc_error *error) {
  spgc_frame_table_lock();
  enum spgc_result result =
      reserve(frame_count, function_count)
          ? add_frames(frames, frame_count, error)
          : spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "no memory for %zu return addresses", frame_count);
  if (result == SPGC_OK)
    add_functions(added, function_count);
  spgc_unmanaged_code_forget_all();
  spgc_frame_table_unlock();
  return result;
}

void spgc_frame_table_remove(const struct frame_description *frames, size_t frame_count,
                             const struct function_address *removed, size_t function_count) {
  spgc_frame_table_lock();
  remove_frames(frames, frame_count);
  remove_functions(removed, function_count);
  spgc_unmanaged_code_forget_all();
  spgc_frame_table_unlock();
}

enum spgc_result spgc_frame_table_add_flat(struct flat_map *maps, size_t count, struct spgc_error *error) {
  spgc_frame_table_lock();
  enum spgc_result result = spgc_flat_table_add(maps, count, error);
  spgc_unmanaged_code_forget_all();
  spgc_frame_table_unlock();
  return result;
}

void spgc_frame_table_remove_flat(struct flat_map *maps, size_t count) {
  spgc_frame_table_lock();
  spgc_flat_table_remove(maps, count);
  spgc_unmanaged_code_forget_all();
  spgc_frame_table_unlock();
}

bool spgc_frame_table_has_function(struct function_address function) {
  return find_function(function) != NULL || spgc_flat_has_function(function);
}

void spgc_frame_table_find_calls(uint64_t id, void (*visit)(void *context, struct return_address), void *context) {
  const struct frame_entry *entries = (const void *)spgc_frame_entries.entries;
  for (size_t i = 0; entries != NULL && i <= spgc_frame_entries.mask; i++)
    if (entries[i].return_address.word != 0 && entries[i].id == id)
      visit(context, entries[i].return_address);
  spgc_flat_find_calls(id, visit, context);
}
