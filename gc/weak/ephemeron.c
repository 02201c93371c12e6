#include <stdlib.h>

#include "gc/weak/weak_map.h"
#include "gc/weak/weak_processing.h"

/* Closing classifies each entry that the collection decides about:
 *
 *   map not reached        -> on the map's list, linked by `waiting`
 *   map reached, key not   -> WAITS_FOR_KEY; the table's index finds it by its key
 *   both reached           -> on the list of ready entries, linked by `waiting`
 *
 * The values of ready entries are kept alive and drained. As an object is reached, a trace hook
 * classifies the entries of its maps again, and readies those that wait for it as a key. An entry
 * is touched once for its map and once for its key, so the time is linear. */
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
  spgc_weak_maps_entry_left(ephemeron->head.entry.place);
  return false;
}

static bool owner_stays(const struct spgc_liveness *liveness, void *entry) {
  const struct spgc_side_entry *owner = entry;
  struct spgc_weak_map_record *map = &spgc_weak_maps.records[owner->place];
  struct spgc_ref address = liveness->address(liveness->tracer, owner->object);
  if (spgc_ref_is_null(address))
    spgc_weak_maps_free_record(owner->place);
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
