#include "gc/weak/sampled_object.h"

#include "gc/state/runtime.h"
#include "gc/weak/side_table.h"
#include "gc/weak/weak_processing.h"

enum { MOST_OBJECTS = 1 << 18 }; /* 10 MiB, and 2 MiB of buckets */

struct entry {
  struct spgc_side_entry head;
  struct spgc_sampled_object sampled;
  uint32_t birth; /* collections before it */
};

/* Under SPGC_LOCK_SAMPLES. `died` changes only without attached threads, or with the world
 * stopped. */
static struct spgc_side_table objects = SPGC_SIDE_TABLE_OF(struct entry, SPGC_SIDE_OF_OBJECTS);
static spgc_sampled_object_visitor *died;

void spgc_sampled_objects_start(spgc_sampled_object_visitor *visitor) {
  SPGC_LOCKED(SPGC_LOCK_SAMPLES);
  died = visitor;
}

bool spgc_sampled_objects_add(struct spgc_ref object, const struct spgc_sampled_object *sampled) {
  struct entry *entry =
      objects.count < MOST_OBJECTS ? spgc_side_table_append(&objects, object, 0) : NULL;
  if (entry == NULL)
    return false;
  entry->sampled = *sampled;
  entry->birth = spgc_runtime.heap.collection;
  return true;
}

void spgc_sampled_objects_each(spgc_sampled_object_visitor *visit, void *context) {
  uint32_t collection = __atomic_load_n(&spgc_runtime.heap.collection, __ATOMIC_RELAXED);
  for (uint32_t i = 0; i < objects.count; i++) {
    const struct entry *entry = spgc_side_table_at(&objects, i);
    visit(context, &entry->sampled, collection - entry->birth);
  }
}

static bool keep(const struct spgc_liveness *liveness, void *settled) {
  const struct entry *entry = settled;
  if (spgc_side_table_reached(liveness, settled))
    return true;
  died(NULL, &entry->sampled, spgc_runtime.heap.collection - 1 - entry->birth);
  return false;
}

static void settle(const struct spgc_liveness *liveness) {
  if (died == NULL)
    return;
  SPGC_LOCKED(SPGC_LOCK_SAMPLES);
  spgc_side_table_settle(&objects, liveness, keep);
}

const struct spgc_weak_table spgc_table_of_sampled_objects = {
    .entries = &objects, .what = "sampled object", .settle = settle};

void spgc_sampled_objects_stop(void) {
  SPGC_LOCKED(SPGC_LOCK_SAMPLES);
  died = NULL;
  spgc_side_table_free(&objects);
}
