#include "stackwalk/frame_table.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "stackwalk/walkers.h"
#include "support/address_tree.h"
#include "support/fatal.h"

/* Registrations may leave this many in addition to the number of live maps. */
enum { REPLACED_AT_ONCE = 1024 };
/* For each bit of the number of maps: twice what the deepest removal takes in practice. */
enum { SPARE_NODES = 8 };

const struct frame_map spgc_frame_map_empty = {
    .lowest = 1, .entries = (struct frame_entry[]){{.id = 0}}, .line_count = 1, .entry_count = 1};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Keys are the maps' lowest addresses, values the highest, identities the maps. Written under the
 * lock; walkers read the last two. */
static struct address_edit table = {.node_bytes = sizeof(struct address_node)};
static size_t map_count;
static _Atomic(struct address_node *) live; /* table.root */
static _Atomic uint64_t generation = 1;

void spgc_frame_table_lock(void) {
  pthread_mutex_lock(&lock);
}

void spgc_frame_table_unlock(void) {
  pthread_mutex_unlock(&lock);
}

static const struct frame_map *map_of(const struct address_node *node) {
  return (const struct frame_map *)node->identity;
}

struct entry_search {
  struct return_address address;
  struct frame_entry *found;
  const struct frame_map *map;
};

static bool find_in_map(void *context, struct address_node *node) {
  struct entry_search *search = context;
  search->map = map_of(node);
  search->found = frame_map_find(search->map, search->address);
  return search->found != NULL;
}

static struct frame_entry *find_in(struct address_node *root, struct return_address address,
                                   const struct frame_map **recent) {
  struct entry_search search = {.address = address};
  if (!spgc_address_tree_meet(root, address.word, address.word, find_in_map, &search))
    return NULL;
  *recent = search.map;
  return search.found;
}

struct frame_entry *spgc_frame_table_search(struct return_address address,
                                            const struct frame_map **recent) {
  /* sequentially consistent, as spgc_walkers_have_left requires */
  return find_in(atomic_load(&live), address, recent);
}

static bool has_function(void *context, struct address_node *node) {
  const struct function_address *function = context;
  return spgc_frame_map_has_function(map_of(node), *function);
}

bool spgc_frame_table_has_function(struct function_address function) {
  struct address_node *root = atomic_load_explicit(&live, memory_order_acquire);
  return spgc_address_tree_meet(root, function.word, function.word, has_function, &function);
}

uint64_t spgc_frame_table_generation(void) {
  return atomic_load_explicit(&generation, memory_order_relaxed);
}

static void publish(void) {
  atomic_store(&live, table.root);
  atomic_fetch_add(&generation, 1);
}

/* Spares, so that a removal needs no memory. The tree's depth is about 4.3 natural logarithms of
 * its size (Devroye, A note on the height of binary search trees, 1986). */
static size_t spare_count(void) {
  return SPARE_NODES * (size_t)(64 - __builtin_clzll(map_count + 1));
}

static void reuse_replaced(void) {
  spgc_address_tree_reuse(&table, spare_count());
}

/* Nothing was removed, so it waits for walkers only if replaced nodes take too much memory. */
static void publish_more(void) {
  publish();
  bool have_left = spgc_walkers_have_left();
  if (!have_left && table.replaced_count > map_count + REPLACED_AT_ONCE) {
    spgc_walkers_wait();
    have_left = true;
  }
  if (have_left)
    reuse_replaced();
}

static enum spgc_result insert(const struct frame_map *map, struct spgc_error *error) {
  struct address_node *added = malloc(sizeof *added);
  if (added == NULL ||
      !spgc_address_tree_reserve(&table, map->lowest, (uintptr_t)map, spare_count())) {
    free(added);
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "cannot allocate a stack map: out of memory");
  }
  *added = (struct address_node){
      .key = map->lowest, .identity = (uintptr_t)map, .value = map->lowest + map->extent};
  spgc_address_tree_insert(&table, added);
  map_count++;
  publish_more();
  return SPGC_OK;
}

static void take_out(const struct frame_map *map) {
  uintptr_t identity = (uintptr_t)map;
  struct address_node *node = spgc_address_tree_find(table.root, map->lowest, identity);
  spgc_require(node != NULL, "a stack map that is not registered");
  spgc_require(spgc_address_tree_reserve(&table, map->lowest, identity, 0), "out of memory");
  spgc_address_tree_remove(&table, node);
  map_count--;
}

static void publish_less(void) {
  publish();
  spgc_walkers_wait();
  reuse_replaced();
}

static bool meets_any(void *context, struct address_node *node) {
  (void)context, (void)node;
  return true;
}

/* *claimed becomes a return address of which a live map has another record. */
static bool claims_some(const struct frame_map *map, struct return_address *claimed) {
  const struct frame_map *recent = &spgc_frame_map_empty;
  if (!spgc_address_tree_meet(table.root, map->lowest, map->lowest + map->extent, meets_any, NULL))
    return false;
  for (uint32_t i = 0; i < map->entry_count; i++) {
    *claimed = map->entries[i].return_address;
    const struct frame_entry *other =
        claimed->word != 0 ? find_in(table.root, *claimed, &recent) : NULL;
    if (other != NULL && !spgc_frame_entry_equal(other, &map->entries[i]))
      return true;
  }
  return false;
}

enum spgc_result spgc_frame_table_add(const struct frame_map *map, struct return_address *claimed,
                                      struct spgc_error *error) {
  spgc_frame_table_lock();
  enum spgc_result result = claims_some(map, claimed) ? SPGC_ERROR_MALFORMED : insert(map, error);
  spgc_frame_table_unlock();
  return result;
}

void spgc_frame_table_remove(const struct frame_map *map) {
  spgc_frame_table_lock();
  take_out(map);
  publish_less();
  spgc_frame_table_unlock();
}

struct call_search {
  uint64_t id;
  void (*visit)(void *context, struct return_address);
  void *context;
};

static bool find_calls(void *context, struct address_node *node) {
  const struct call_search *search = context;
  spgc_frame_map_find_calls(map_of(node), search->id, search->visit, search->context);
  return false;
}

void spgc_frame_table_find_calls(uint64_t id, void (*visit)(void *context, struct return_address),
                                 void *context) {
  struct call_search search = {id, visit, context};
  struct address_node *root = atomic_load_explicit(&live, memory_order_acquire);
  spgc_address_tree_each(root, find_calls, &search);
}
