#include "stackwalk/frame_table.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "stackwalk/walkers.h"
#include "support/fatal.h"

/* Exactly one of the two pointers is NULL. */
struct live_map {
  uintptr_t lowest, highest;
  uintptr_t reach; /* the greatest `highest` of the maps up to this one, because parsed maps may lie
                      within each other */
  const struct frame_map *map;
  struct flat_map *flat;
};

/* Registrations leave at most this many maps in retired directories, in addition to the number of
 * live maps, before they are freed. */
enum { RETIRED_MAPS_AT_ONCE = 1024 };

/* Ascending by `lowest`. Constant once it is published, except `older`. */
struct directory {
  /* Written under the lock when the directory is retired: the next retired one. */
  struct directory *older;
  size_t count;
  struct live_map maps[];
};

const struct frame_map spgc_frame_map_empty = {
    .lowest = 1, .line_count = 1, .entries = (struct frame_entry[MAP_LINE_ENTRIES]){{.id = 0}}};

/* Held by registration and unregistration. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct directory none;
static _Atomic(struct directory *) live = &none; /* written under the lock, read by walkers */
static struct directory *retired; /* under the lock: directories that are no longer live, but that
                                     walkers may still use */
static size_t retired_maps;       /* under the lock: maps in retired directories */
static _Atomic uint64_t generation = 1; /* written under the lock */

void spgc_frame_table_lock(void) {
  pthread_mutex_lock(&lock);
}

void spgc_frame_table_unlock(void) {
  pthread_mutex_unlock(&lock);
}

/* Index of the first map that starts after the address. */
static size_t first_after(const struct directory *directory, uintptr_t address) {
  size_t low = 0, high = directory->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (directory->maps[middle].lowest > address)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static struct frame_entry *find_in(const struct directory *directory, struct return_address address,
                                   const struct frame_map **recent) {
  for (size_t i = first_after(directory, address.word);
       i > 0 && directory->maps[i - 1].reach >= address.word; i--) {
    const struct live_map *candidate = &directory->maps[i - 1];
    if (candidate->highest < address.word)
      continue;
    struct frame_entry *entry = candidate->map != NULL ? frame_map_find(candidate->map, address)
                                                       : spgc_flat_find(candidate->flat, address);
    if (entry == NULL)
      continue;
    if (candidate->map != NULL)
      *recent = candidate->map;
    return entry;
  }
  return NULL;
}

struct frame_entry *spgc_frame_table_search(struct return_address address,
                                            const struct frame_map **recent) {
  /* sequentially consistent, as spgc_walkers_have_left requires */
  return find_in(atomic_load(&live), address, recent);
}

bool spgc_frame_table_has_function(struct function_address function) {
  const struct directory *directory = atomic_load_explicit(&live, memory_order_acquire);
  for (size_t i = first_after(directory, function.word);
       i > 0 && directory->maps[i - 1].reach >= function.word; i--) {
    const struct live_map *candidate = &directory->maps[i - 1];
    if (candidate->highest >= function.word &&
        (candidate->map != NULL ? spgc_frame_map_has_function(candidate->map, function)
                                : spgc_flat_has_function(candidate->flat, function)))
      return true;
  }
  return false;
}

uint64_t spgc_frame_table_generation(void) {
  return atomic_load_explicit(&generation, memory_order_relaxed);
}

static struct live_map live_parsed(const struct frame_map *map) {
  return (struct live_map){.lowest = map->lowest, .highest = map->lowest + map->extent, .map = map};
}

static struct live_map live_flat(struct flat_map *flat) {
  struct live_map added = {.flat = flat};
  spgc_flat_extent(flat, &added.lowest, &added.highest);
  return added;
}

static void insert(struct directory *directory, struct live_map added) {
  size_t index = first_after(directory, added.lowest);
  memmove(&directory->maps[index + 1], &directory->maps[index],
          (directory->count - index) * sizeof added);
  directory->maps[index] = added;
  directory->count++;
}

/* A directory with the live one's maps, except those for which `removed` returns true, and with
 * space for `more`. */
static struct directory *
copy_directory(size_t more, bool (*removed)(const struct live_map *map, const void *context),
               const void *context) {
  const struct directory *old = atomic_load_explicit(&live, memory_order_relaxed);
  struct directory *copy = malloc(sizeof *copy + (old->count + more) * sizeof(struct live_map));
  if (copy == NULL)
    return NULL;
  copy->count = 0;
  for (size_t i = 0; i < old->count; i++)
    if (removed == NULL || !removed(&old->maps[i], context))
      copy->maps[copy->count++] = old->maps[i];
  return copy;
}

static void index_reach(struct directory *directory) {
  uintptr_t reach = 0;
  for (size_t i = 0; i < directory->count; i++) {
    reach = directory->maps[i].highest > reach ? directory->maps[i].highest : reach;
    directory->maps[i].reach = reach;
  }
}

/* Walkers that enter from now on find the new directory. */
static void publish(struct directory *directory) {
  index_reach(directory);
  struct directory *old = atomic_exchange(&live, directory);
  atomic_fetch_add(&generation, 1);
  if (old == &none)
    return;
  old->older = retired;
  retired = old;
  retired_maps += old->count;
}

/* No walker may use any of them. */
static void free_retired(void) {
  while (retired != NULL) {
    struct directory *older = retired->older;
    free(retired);
    retired = older;
  }
  retired_maps = 0;
}

/* Publishes a directory with added maps. Nothing was removed, so waiting for walkers is necessary
 * only when retired directories take too much memory. */
static void publish_more(struct directory *directory) {
  publish(directory);
  bool have_left = spgc_walkers_have_left();
  if (!have_left && retired_maps > directory->count + RETIRED_MAPS_AT_ONCE) {
    spgc_walkers_wait();
    have_left = true;
  }
  if (have_left)
    free_retired();
}

/* Publishes a directory without some maps, and returns when no walker uses the removed ones. */
static void publish_less(struct directory *directory) {
  publish(directory);
  spgc_walkers_wait();
  free_retired();
}

static bool overlaps(const struct directory *directory, struct live_map added) {
  size_t index = first_after(directory, added.highest);
  return index > 0 && directory->maps[index - 1].reach >= added.lowest;
}

/* Whether a live map has another record of one of the return addresses, which becomes *claimed. */
static bool claims_some(const struct directory *directory, const struct frame_map *map,
                        struct return_address *claimed) {
  const struct frame_map *recent = &spgc_frame_map_empty;
  if (!overlaps(directory, live_parsed(map)))
    return false;
  for (uint64_t i = 0; i < map->line_count * MAP_LINE_ENTRIES; i++) {
    *claimed = map->entries[i].return_address;
    const struct frame_entry *other =
        claimed->word != 0 ? find_in(directory, *claimed, &recent) : NULL;
    if (other != NULL && !spgc_frame_entry_equal(other, &map->entries[i]))
      return true;
  }
  return false;
}

static enum spgc_result add_locked(const struct frame_map *map, struct return_address *claimed,
                                   struct spgc_error *error) {
  if (claims_some(atomic_load_explicit(&live, memory_order_relaxed), map, claimed))
    return SPGC_ERROR_MALFORMED;
  struct directory *directory = copy_directory(1, NULL, NULL);
  if (directory == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "cannot allocate a stack map: out of memory");
  insert(directory, live_parsed(map));
  publish_more(directory);
  return SPGC_OK;
}

enum spgc_result spgc_frame_table_add(const struct frame_map *map, struct return_address *claimed,
                                      struct spgc_error *error) {
  spgc_frame_table_lock();
  enum spgc_result result = add_locked(map, claimed, error);
  spgc_frame_table_unlock();
  return result;
}

static bool is_map(const struct live_map *candidate, const void *map) {
  return candidate->map == map;
}

static void remove_maps(size_t count,
                        bool (*removed)(const struct live_map *map, const void *context),
                        const void *context) {
  spgc_frame_table_lock();
  size_t before = atomic_load_explicit(&live, memory_order_relaxed)->count;
  struct directory *directory = copy_directory(0, removed, context);
  spgc_require(directory != NULL, "out of memory");
  spgc_require(directory->count == before - count, "a stack map that is not registered");
  publish_less(directory);
  spgc_frame_table_unlock();
}

void spgc_frame_table_remove(const struct frame_map *map) {
  remove_maps(1, is_map, map);
}

/* The maps of one section. */
struct flat_section {
  struct flat_map *maps;
  size_t count;
};

static bool is_in_section(const struct live_map *candidate, const void *context) {
  const struct flat_section *section = context;
  for (size_t i = 0; i < section->count; i++)
    if (candidate->flat != NULL && candidate->flat == spgc_flat_map_at(section->maps, i))
      return true;
  return false;
}

/* A map's code may start where another's ends. Only the map that ends there has calls that return
 * to that address. */
static bool is_claimed(const struct directory *directory, const struct live_map *added) {
  for (size_t i = 0; i < directory->count; i++) {
    const struct live_map *other = &directory->maps[i];
    bool meet = other->lowest < added->highest && added->lowest < other->highest;
    if (other->flat != NULL && (meet || other->lowest == added->lowest))
      return true;
  }
  return false;
}

static enum spgc_result add_flat_maps(struct directory *directory, struct flat_map *maps,
                                      size_t count, struct spgc_error *error) {
  for (size_t i = 0; i < count; i++) {
    struct live_map added = live_flat(spgc_flat_map_at(maps, i));
    if (is_claimed(directory, &added))
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, spgc_flat_position(added.flat),
                            "the code at 0x%" PRIxPTR
                            " is described by another flat stack map: it is registered twice, or "
                            "a linker that folds identical code (--icf=all) has joined two modules",
                            added.lowest);
    insert(directory, added);
  }
  return SPGC_OK;
}

enum spgc_result spgc_frame_table_add_flat(struct flat_map *maps, size_t count,
                                           struct spgc_error *error) {
  spgc_frame_table_lock();
  struct directory *directory = copy_directory(count, NULL, NULL);
  enum spgc_result result =
      directory != NULL
          ? add_flat_maps(directory, maps, count, error)
          : spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                           "cannot allocate %zu flat stack maps: out of memory", count);
  if (directory != NULL && result == SPGC_OK)
    publish_more(directory);
  else
    free(directory);
  spgc_frame_table_unlock();
  return result;
}

void spgc_frame_table_remove_flat(struct flat_map *maps, size_t count) {
  const struct flat_section section = {maps, count};
  remove_maps(count, is_in_section, &section);
}

void spgc_frame_table_find_calls(uint64_t id, void (*visit)(void *context, struct return_address),
                                 void *context) {
  const struct directory *directory = atomic_load_explicit(&live, memory_order_acquire);
  for (size_t i = 0; i < directory->count; i++) {
    const struct live_map *candidate = &directory->maps[i];
    if (candidate->map != NULL)
      spgc_frame_map_find_calls(candidate->map, id, visit, context);
    else
      spgc_flat_find_calls(candidate->flat, id, visit, context);
  }
}
