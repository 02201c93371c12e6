#include "gc/weak/weak_map.h"

#include <inttypes.h>
#include <stdlib.h>

#include "gc/mutator/misuse.h"
#include "gc/mutator/mutator.h"
#include "gc/state/locks.h"
#include "gc/state/runtime.h"
#include "gc/weak/weak_processing.h"
#include "spgc/weak_map.h"
#include "support/fatal.h"

struct spgc_weak_maps spgc_weak_maps = {
    .ephemerons = SPGC_SIDE_TABLE_OF(struct spgc_ephemeron, SPGC_SIDE_OF_LISTS),
    .owners = SPGC_SIDE_TABLE_OF(struct spgc_side_listed, SPGC_SIDE_OF_LISTS),
    .first_free = SPGC_SIDE_NONE};

/* Needs the lock. */
static struct spgc_weak_map_record *record_of(struct spgc_weak_map map, const char *call) {
  spgc_require(map.number < spgc_weak_maps.record_count &&
                   spgc_weak_maps.records[map.number].state == SPGC_WEAK_MAP_IN_USE,
               "%s: there is no weak map %" PRIu64 "; it was destroyed, or its owner died", call,
               map.number);
  return &spgc_weak_maps.records[map.number];
}

static uint32_t number_of(struct spgc_weak_map map) {
  return (uint32_t)map.number;
}

/* Its number may be reused. */
static void free_record(uint32_t number) {
  struct spgc_weak_map_record *record = &spgc_weak_maps.records[number];
  record->state = SPGC_WEAK_MAP_FREE;
  record->next_free = spgc_weak_maps.first_free;
  spgc_weak_maps.first_free = number;
}

/* The last entry of a destroyed map frees the record. */
static void entry_left(uint32_t number) {
  struct spgc_weak_map_record *record = &spgc_weak_maps.records[number];
  record->count--;
  if (record->state != SPGC_WEAK_MAP_DESTROYED)
    return;
  spgc_weak_maps.left_entries--;
  if (record->count == 0)
    free_record(number);
}

static bool reserve_record(void) {
  struct spgc_weak_maps *maps = &spgc_weak_maps;
  if (maps->first_free != SPGC_SIDE_NONE)
    return true;
  if (maps->record_count == maps->record_capacity) {
    enum { LEAST = 16 };
    uint32_t capacity = maps->record_capacity == 0 ? LEAST : 2 * maps->record_capacity;
    struct spgc_weak_map_record *records = capacity < maps->record_capacity
                                               ? NULL
                                               : realloc(maps->records, capacity * sizeof *records);
    if (records == NULL)
      return false;
    maps->records = records;
    maps->record_capacity = capacity;
  }
  free_record(maps->record_count++);
  return true;
}

static bool create(struct spgc_ref owner, struct spgc_weak_map *map) {
  SPGC_LOCKED(SPGC_LOCK_WEAK_MAPS);
  struct spgc_weak_maps *maps = &spgc_weak_maps;
  if (!reserve_record())
    return false;
  uint32_t number = maps->first_free;
  if (!spgc_ref_is_null(owner) && spgc_side_table_append(&maps->owners, owner, number) == NULL)
    return false;
  struct spgc_weak_map_record *record = &maps->records[number];
  maps->first_free = record->next_free;
  *record = (struct spgc_weak_map_record){
      .state = SPGC_WEAK_MAP_IN_USE, .owner = owner, .waiting = SPGC_SIDE_NONE};
  map->number = number;
  return true;
}

enum spgc_result spgc_weak_map_create(struct spgc_ref owner, struct spgc_weak_map *map,
                                      struct spgc_error *error) {
  spgc_caller();
  spgc_require_use(map != NULL, "no structure for the map is given");
  if (!spgc_ref_is_null(owner) &&
      spgc_check_object(__func__, "the owner ", owner, error) != SPGC_OK)
    return SPGC_ERROR_INVALID_ARGUMENT;
  return spgc_check_memory(create(owner, map), __func__, error);
}

/* Downwards: the entry that fills a gap was visited already. */
static void remove_left_entries(void) {
  struct spgc_side_table *ephemerons = &spgc_weak_maps.ephemerons;
  for (uint32_t i = ephemerons->count; i-- != 0;) {
    struct spgc_side_entry *entry = spgc_side_table_at(ephemerons, i);
    uint32_t number = entry->place;
    if (spgc_weak_maps.records[number].state != SPGC_WEAK_MAP_DESTROYED)
      continue;
    spgc_side_table_remove(ephemerons, entry);
    entry_left(number);
  }
}

/* Entries stay until they are half of the table, or a collection decides about them: constant time
 * on average. */
void spgc_weak_map_destroy(struct spgc_weak_map map) {
  spgc_caller();
  SPGC_LOCKED(SPGC_LOCK_WEAK_MAPS);
  struct spgc_weak_map_record *record = record_of(map, __func__);
  struct spgc_side_table *owners = &spgc_weak_maps.owners;
  if (!spgc_ref_is_null(record->owner))
    spgc_side_table_remove(owners, spgc_side_table_find(owners, record->owner, number_of(map)));
  if (record->count == 0) {
    free_record(number_of(map));
    return;
  }
  record->state = SPGC_WEAK_MAP_DESTROYED;
  spgc_weak_maps.left_entries += record->count;
  if (spgc_weak_maps.left_entries > spgc_weak_maps.ephemerons.count / 2)
    remove_left_entries();
}

static struct spgc_ephemeron *find(struct spgc_weak_map map, struct spgc_ref key) {
  return spgc_side_table_find(&spgc_weak_maps.ephemerons, key, number_of(map));
}

/* If a settled entry's new value may be young, the entry is made again, so that it is fresh. */
static bool set(struct spgc_weak_map map, struct spgc_ref key, struct spgc_ref value) {
  SPGC_LOCKED(SPGC_LOCK_WEAK_MAPS);
  struct spgc_side_table *ephemerons = &spgc_weak_maps.ephemerons;
  struct spgc_weak_map_record *record = record_of(map, "spgc_weak_map_set");
  struct spgc_ephemeron *found = find(map, key);
  if (found != NULL && (spgc_side_table_index(ephemerons, found) >= ephemerons->fresh ||
                        !spgc_heap_contains(&spgc_runtime.heap, value.word))) {
    found->value = value;
    return true;
  }
  if (!spgc_side_table_reserve(ephemerons))
    return false;
  if (found != NULL)
    spgc_side_table_remove(ephemerons, find(map, key));
  else
    record->count++;
  found = spgc_side_table_append(ephemerons, key, number_of(map));
  found->value = value;
  return true;
}

enum spgc_result spgc_weak_map_set(struct spgc_weak_map map, struct spgc_ref key,
                                   struct spgc_ref value, struct spgc_error *error) {
  spgc_caller();
  enum spgc_result result = spgc_check_object(__func__, "the key ", key, error);
  if (result == SPGC_OK && spgc_heap_contains(&spgc_runtime.heap, value.word))
    result = spgc_check_object(__func__, "the value ", value, error);
  return result == SPGC_OK ? spgc_check_memory(set(map, key, value), __func__, error) : result;
}

bool spgc_weak_map_get(struct spgc_weak_map map, struct spgc_ref key, struct spgc_ref *value) {
  spgc_caller();
  SPGC_LOCKED(SPGC_LOCK_WEAK_MAPS);
  record_of(map, __func__);
  const struct spgc_ephemeron *found = find(map, key);
  if (found != NULL && value != NULL)
    *value = found->value;
  return found != NULL;
}

bool spgc_weak_map_remove(struct spgc_weak_map map, struct spgc_ref key) {
  spgc_caller();
  SPGC_LOCKED(SPGC_LOCK_WEAK_MAPS);
  struct spgc_weak_map_record *record = record_of(map, __func__);
  struct spgc_ephemeron *found = find(map, key);
  if (found == NULL)
    return false;
  spgc_side_table_remove(&spgc_weak_maps.ephemerons, found);
  record->count--;
  return true;
}

uint64_t spgc_weak_map_count(struct spgc_weak_map map) {
  spgc_caller();
  SPGC_LOCKED(SPGC_LOCK_WEAK_MAPS);
  return record_of(map, __func__)->count;
}

/* ---- In collections ----
 *
 * Closing classifies each entry that the collection decides about:
 *
 *   map not reached        -> on the map's list, linked by `waiting`
 *   map reached, key not   -> WAITS_FOR_KEY; the table's index finds it by its key
 *   both reached           -> on the list of ready entries, linked by `waiting`
 *
 * The values of ready entries are kept alive and drained. As an object is reached, a trace hook
 * classifies its maps' entries again, and readies those that wait for it as a key. An entry is
 * touched once for its map and once for its key: the time is linear. */
#define WAITS_FOR_KEY ((uint32_t)SPGC_SIDE_NONE - 1)

struct closing {
  const struct spgc_liveness *liveness;
  uint32_t ready; /* or SPGC_SIDE_NONE */
  uint32_t waiting;
};

static struct spgc_ephemeron *ephemeron_at(uint32_t index) {
  return spgc_side_table_at(&spgc_weak_maps.ephemerons, index);
}

static struct spgc_weak_map_record *map_of(const struct spgc_ephemeron *ephemeron) {
  return &spgc_weak_maps.records[ephemeron->head.entry.place];
}

static bool map_lives(const struct spgc_liveness *liveness,
                      const struct spgc_weak_map_record *map) {
  return map->state == SPGC_WEAK_MAP_IN_USE &&
         (spgc_ref_is_null(map->owner) || spgc_is_alive(liveness, map->owner));
}

static void push(uint32_t *list, uint32_t index) {
  ephemeron_at(index)->waiting = *list;
  *list = index;
}

static uint32_t pop(uint32_t *list) {
  uint32_t index = *list;
  if (index != SPGC_SIDE_NONE)
    *list = ephemeron_at(index)->waiting;
  return index;
}

static void await_key(struct closing *closing, uint32_t index) {
  struct spgc_ephemeron *ephemeron = ephemeron_at(index);
  if (spgc_is_alive(closing->liveness, ephemeron->head.entry.object)) {
    push(&closing->ready, index);
  } else {
    ephemeron->waiting = WAITS_FOR_KEY;
    closing->waiting++;
  }
}

static void classify(struct closing *closing, uint32_t index) {
  spgc_weak_maps.entries_examined++;
  struct spgc_weak_map_record *map = map_of(ephemeron_at(index));
  if (map_lives(closing->liveness, map)) {
    await_key(closing, index);
  } else {
    push(&map->waiting, index);
    closing->waiting++;
  }
}

static void reached(void *context, struct spgc_ref object) {
  struct closing *closing = context;
  struct spgc_ephemeron *ephemeron = spgc_side_table_first(&spgc_weak_maps.ephemerons, object);
  for (; ephemeron != NULL;
       ephemeron = spgc_side_table_next(&spgc_weak_maps.ephemerons, ephemeron)) {
    spgc_weak_maps.entries_examined++;
    if (ephemeron->waiting == WAITS_FOR_KEY)
      push(&closing->ready, spgc_side_table_index(&spgc_weak_maps.ephemerons, ephemeron));
  }
  const struct spgc_side_entry *owner = spgc_side_table_first(&spgc_weak_maps.owners, object);
  for (; owner != NULL; owner = spgc_side_table_next(&spgc_weak_maps.owners, owner)) {
    uint32_t index;
    while ((index = pop(&spgc_weak_maps.records[owner->place].waiting)) != SPGC_SIDE_NONE) {
      spgc_weak_maps.entries_examined++;
      await_key(closing, index);
    }
  }
}

static void keep_ready(struct closing *closing) {
  uint32_t index;
  while ((index = pop(&closing->ready)) != SPGC_SIDE_NONE) {
    spgc_weak_maps.entries_examined++;
    ephemeron_at(index)->waiting = SPGC_SIDE_NONE;
    closing->liveness->keep_alive(closing->liveness->tracer,
                                  (struct spgc_slot){&ephemeron_at(index)->value});
  }
}

void spgc_ephemerons_close(const struct spgc_liveness *liveness) {
  struct closing closing = {liveness, SPGC_SIDE_NONE, 0};
  uint32_t first = liveness->all ? 0 : spgc_weak_maps.ephemerons.fresh;
  if (first == spgc_weak_maps.ephemerons.count)
    return;
  for (uint32_t i = first; i < spgc_weak_maps.ephemerons.count; i++)
    map_of(ephemeron_at(i))->waiting = SPGC_SIDE_NONE;
  for (uint32_t i = first; i < spgc_weak_maps.ephemerons.count; i++)
    classify(&closing, i);
  struct spgc_trace_hook hook = {reached, &closing};
  if (closing.waiting != 0)
    liveness->set_hook(liveness->tracer, &hook);
  do {
    keep_ready(&closing);
    liveness->drain(liveness->tracer);
  } while (closing.ready != SPGC_SIDE_NONE);
  liveness->set_hook(liveness->tracer, NULL);
}

static bool stays(const struct spgc_liveness *liveness, void *entry) {
  struct spgc_ephemeron *ephemeron = entry;
  struct spgc_weak_map_record *map = map_of(ephemeron);
  if (map_lives(liveness, map) && spgc_is_alive(liveness, ephemeron->head.entry.object))
    return true;
  entry_left(ephemeron->head.entry.place);
  return false;
}

static bool owner_stays(const struct spgc_liveness *liveness, void *entry) {
  const struct spgc_side_entry *owner = entry;
  struct spgc_weak_map_record *map = &spgc_weak_maps.records[owner->place];
  struct spgc_ref address = liveness->address(liveness->tracer, owner->object);
  if (spgc_ref_is_null(address))
    free_record(owner->place);
  map->owner = address;
  return !spgc_ref_is_null(address);
}

/* Entries first: they need the former addresses of the maps' owners. */
static void settle(const struct spgc_liveness *liveness) {
  spgc_side_table_settle(&spgc_weak_maps.ephemerons, liveness, stays);
  spgc_side_table_settle(&spgc_weak_maps.owners, liveness, owner_stays);
}

static void visit_all(spgc_root_visitor visit, void *context) {
  for (uint32_t i = 0; i < spgc_weak_maps.ephemerons.count; i++) {
    struct spgc_ephemeron *ephemeron = ephemeron_at(i);
    visit(context, (struct spgc_slot){&ephemeron->head.entry.object}, "key of a weak map");
    visit(context, (struct spgc_slot){&ephemeron->value}, "value of a weak map");
  }
  spgc_side_table_visit(&spgc_weak_maps.owners, visit, context, "owner of a weak map");
}

static void stop(void) {
  spgc_side_table_free(&spgc_weak_maps.ephemerons);
  spgc_side_table_free(&spgc_weak_maps.owners);
  free(spgc_weak_maps.records);
  spgc_weak_maps.records = NULL;
  spgc_weak_maps.record_count = spgc_weak_maps.record_capacity = 0;
  spgc_weak_maps.left_entries = 0;
  spgc_weak_maps.first_free = SPGC_SIDE_NONE;
}

const struct spgc_weak_table spgc_table_of_ephemerons = {
    .settle = settle, .visit = visit_all, .stop = stop};
