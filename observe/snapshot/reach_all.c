#include "observe/snapshot/reach_all.h"

#include "gc/inspect.h"

/* An owner of a weak map was scanned, perhaps after keys of the map. The child has one thread. */
static bool owner_was_scanned;

bool spgc_reach_map_lives(const struct spgc_reachable *reachable,
                          const struct spgc_ephemeron *ephemeron) {
  const struct spgc_weak_map_record *map = &spgc_weak_maps.records[ephemeron->head.entry.place];
  return map->state == SPGC_WEAK_MAP_IN_USE &&
         (spgc_ref_is_null(map->owner) || spgc_reachable_has(reachable, map->owner));
}

static void reach_value(struct spgc_reachable *reachable, const struct spgc_ephemeron *ephemeron) {
  if (spgc_reach_map_lives(reachable, ephemeron))
    spgc_reachable_reach(reachable, ephemeron->value);
}

static void look_up(struct spgc_reachable *reachable, struct spgc_ref object) {
  const struct spgc_side_table *table = &spgc_weak_maps.ephemerons;
  for (const struct spgc_ephemeron *found = spgc_side_table_first(table, object); found != NULL;
       found = spgc_side_table_next(table, found))
    reach_value(reachable, found);
  owner_was_scanned |= spgc_side_table_first(&spgc_weak_maps.owners, object) != NULL;
}

static void reach_all_values(struct spgc_reachable *reachable) {
  for (uint32_t i = 0; i < spgc_weak_maps.ephemerons.count; i++) {
    const struct spgc_ephemeron *ephemeron = spgc_side_table_at(&spgc_weak_maps.ephemerons, i);
    if (spgc_reachable_has(reachable, ephemeron->head.entry.object))
      reach_value(reachable, ephemeron);
  }
}

/* Each round serves the owners reached in the round before. */
static void drain(struct spgc_reachable *reachable) {
  spgc_reachable_drain(reachable);
  while (owner_was_scanned) {
    owner_was_scanned = false;
    reach_all_values(reachable);
    spgc_reachable_drain(reachable);
  }
}

static void reach_pinned(void *reachable, struct spgc_slot slot, const char *what) {
  spgc_reachable_reach(reachable, *slot.location);
}

static void reach_finalizer(void *reachable, struct spgc_finalizer finalizer, bool is_queued) {
  if (is_queued)
    spgc_reachable_reach(reachable, finalizer.object);
  spgc_reachable_reach(reachable, finalizer.held);
}

/* Objects only reached from registered finalizers. */
struct finalized {
  const struct spgc_reachable *reachable;
  struct spgc_mapped_array *objects;
  bool is_incomplete;
};

static void add_unreached(void *context, struct spgc_finalizer finalizer, bool is_queued) {
  struct finalized *finalized = context;
  if (is_queued || spgc_reachable_has(finalized->reachable, finalizer.object))
    return;
  struct spgc_ref *added = spgc_mapped_array_add(finalized->objects, sizeof *added);
  if (added == NULL)
    finalized->is_incomplete = true;
  else
    *added = finalizer.object;
}

static bool reach_finalized(struct spgc_reachable *reachable, struct spgc_mapped_array *objects) {
  struct finalized finalized = {reachable, objects, false};
  spgc_finalizers_read(add_unreached, &finalized);
  for (size_t i = 0; i < SPGC_MAPPED_COUNT(objects, struct spgc_ref); i++)
    spgc_reachable_reach(reachable, *SPGC_MAPPED_AT(objects, struct spgc_ref, i));
  return !finalized.is_incomplete;
}

bool spgc_reach_all(struct spgc_reachable *reachable, const struct spgc_root_list *list,
                    struct spgc_mapped_array *only_finalized) {
  if (spgc_weak_maps.ephemerons.count != 0)
    reachable->hook = look_up;
  size_t count = SPGC_MAPPED_COUNT(&list->roots, struct spgc_listed_root);
  for (size_t i = 0; i < count; i++)
    spgc_reachable_reach(reachable, spgc_root_list_root(list, i)->object);
  spgc_pins_visit(reach_pinned, reachable);
  spgc_finalizers_read(reach_finalizer, reachable);
  drain(reachable);
  bool complete = reach_finalized(reachable, only_finalized);
  drain(reachable);
  return complete;
}
