#include "gc/weak/finalizer.h"

#include <stdlib.h>
#include <string.h>

#include "gc/events/events.h"
#include "gc/mutator/misuse.h"
#include "gc/mutator/mutator.h"
#include "gc/state/locks.h"
#include "gc/state/runtime.h"
#include "gc/weak/weak_processing.h"
#include "spgc/finalizer.h"
#include "support/clock.h"
#include "support/fatal.h"

/* An object's registrations have places from 0: the latest can be cancelled, and all are queued at
 * once. */
struct registration {
  struct spgc_side_entry entry;
  struct spgc_ref held;
  uint64_t number; /* orders registrations */
  uint32_t count;  /* at place 0: of the object */
  bool is_queued;  /* by this collection */
};

struct queued {
  struct spgc_finalizer finalizer;
  uint64_t number;
};

/* Entries [first, end) are queued; this collection queued those from `ordered`, and reported those
 * before `told`. */
struct queue {
  struct queued *entries;
  size_t first, end, ordered, told, capacity;
};

/* Under SPGC_LOCK_FINALIZERS, or with the world stopped. */
struct spgc_side_table spgc_registrations =
    SPGC_SIDE_TABLE_OF(struct registration, SPGC_SIDE_OF_PLACES);
static struct queue queue;
static uint64_t next_number;

/* Entries move to the front only if more than half of the memory is unused: constant time on
 * average. */
static bool reserve_queue(void) {
  size_t waiting = queue.end - queue.first, more = spgc_registrations.count + 1,
         wanted = waiting + more;
  if (queue.end + more <= queue.capacity)
    return true;
  if (wanted > queue.capacity / 2) {
    struct queued *entries = realloc(queue.entries, 2 * wanted * sizeof *entries);
    if (entries == NULL)
      return false;
    queue.entries = entries;
    queue.capacity = 2 * wanted;
  }
  memmove(queue.entries, queue.entries + queue.first, waiting * sizeof *queue.entries);
  queue.first = 0;
  queue.end = waiting;
  return true;
}

static bool add(struct spgc_ref object, struct spgc_ref held) {
  SPGC_LOCKED(SPGC_LOCK_FINALIZERS);
  if (!reserve_queue() || !spgc_side_table_reserve(&spgc_registrations))
    return false;
  struct registration *first = spgc_side_table_find(&spgc_registrations, object, 0);
  uint32_t place = first != NULL ? first->count++ : 0;
  struct registration *registration = spgc_side_table_append(&spgc_registrations, object, place);
  registration->held = held;
  registration->number = next_number++;
  registration->count = 1;
  return true;
}

enum spgc_result spgc_finalizer_register(struct spgc_ref object, struct spgc_ref held,
                                         struct spgc_error *error) {
  spgc_caller();
  enum spgc_result result = spgc_check_object(__func__, "", object, error);
  if (result == SPGC_OK && spgc_heap_contains(&spgc_runtime.heap, held.word))
    result = spgc_check_object(__func__, "the held word, ", held, error);
  if (result != SPGC_OK)
    return result;
  return spgc_check_memory(add(object, held), __func__, error);
}

bool spgc_finalizer_cancel(struct spgc_ref object) {
  spgc_caller();
  SPGC_LOCKED(SPGC_LOCK_FINALIZERS);
  struct registration *first = spgc_side_table_find(&spgc_registrations, object, 0);
  if (first == NULL)
    return false;
  uint32_t latest = --first->count;
  spgc_side_table_remove(&spgc_registrations,
                         spgc_side_table_find(&spgc_registrations, object, latest));
  return true;
}

bool spgc_finalizer_next(struct spgc_finalizer *finalizer) {
  spgc_caller();
  spgc_require_use(finalizer != NULL, "no structure for the entry is given");
  SPGC_LOCKED(SPGC_LOCK_FINALIZERS);
  if (queue.first == queue.end)
    return false;
  *finalizer = queue.entries[queue.first++].finalizer;
  return true;
}

size_t spgc_finalizers_waiting(void) {
  spgc_caller();
  SPGC_LOCKED(SPGC_LOCK_FINALIZERS);
  return queue.end - queue.first;
}

static int compare_numbers(const void *a, const void *b) {
  uint64_t first = ((const struct queued *)a)->number, second = ((const struct queued *)b)->number;
  return (first > second) - (first < second);
}

static void enqueue(const struct registration *registration) {
  spgc_require(queue.end < queue.capacity, "the queue of finalizers is full at entry %zu",
               queue.end);
  queue.entries[queue.end++] =
      (struct queued){{registration->entry.object, registration->held}, registration->number};
}

static void sort_from(size_t first) {
  if (queue.end - first > 1)
    qsort(queue.entries + first, queue.end - first, sizeof *queue.entries, compare_numbers);
}

void spgc_finalizers_queue_all(void) {
  spgc_caller();
  SPGC_LOCKED(SPGC_LOCK_FINALIZERS);
  size_t first = queue.end;
  for (uint32_t i = 0; i < spgc_registrations.count; i++)
    enqueue(spgc_side_table_at(&spgc_registrations, i));
  sort_from(first);
  spgc_side_table_free(&spgc_registrations);
}

void spgc_finalizers_begin(void) {
  queue.ordered = queue.told = queue.end;
}

static void keep_queued(const struct spgc_liveness *liveness, size_t first) {
  for (size_t i = first; i < queue.end; i++) {
    liveness->keep_alive(liveness->tracer, (struct spgc_slot){&queue.entries[i].finalizer.object});
    liveness->keep_alive(liveness->tracer, (struct spgc_slot){&queue.entries[i].finalizer.held});
  }
}

void spgc_finalizers_keep(const struct spgc_liveness *liveness) {
  keep_queued(liveness, queue.first);
  for (uint32_t i = liveness->needs_roots ? 0 : spgc_registrations.fresh;
       i < spgc_registrations.count; i++) {
    struct registration *registration = spgc_side_table_at(&spgc_registrations, i);
    liveness->keep_alive(liveness->tracer, (struct spgc_slot){&registration->held});
  }
}

/* All are queued before the first is kept alive, which may reach others. */
bool spgc_finalizers_queue(const struct spgc_liveness *liveness) {
  size_t end = queue.end;
  for (uint32_t i = liveness->all ? 0 : spgc_registrations.fresh; i < spgc_registrations.count;
       i++) {
    struct registration *registration = spgc_side_table_at(&spgc_registrations, i);
    if (spgc_is_alive(liveness, registration->entry.object))
      continue;
    registration->is_queued = true;
    enqueue(registration);
  }
  if (queue.end == end)
    return false;
  sort_from(queue.ordered);
  keep_queued(liveness, queue.ordered);
  return true;
}

static bool stays_registered(const struct spgc_liveness *liveness, void *entry) {
  return !((struct registration *)entry)->is_queued;
}

static void settle(const struct spgc_liveness *liveness) {
  if (queue.end != queue.told)
    SPGC_TELL(finalizers_queued, spgc_finalizers_queued_event,
              .number = spgc_runtime.statistics.collections + 1, .queued = queue.end - queue.told,
              .waiting = queue.end - queue.first, .ns = spgc_clock_ns());
  queue.told = queue.end;
  spgc_side_table_settle(&spgc_registrations, liveness, stays_registered);
}

void spgc_finalizers_read(spgc_finalizer_reader read, void *context) {
  for (size_t i = queue.first; i < queue.end; i++)
    read(context, queue.entries[i].finalizer, true);
  for (uint32_t i = 0; i < spgc_registrations.count; i++) {
    const struct registration *registration = spgc_side_table_at(&spgc_registrations, i);
    read(context, (struct spgc_finalizer){registration->entry.object, registration->held}, false);
  }
}

static void visit_all(spgc_root_visitor visit, void *context) {
  for (size_t i = queue.first; i < queue.end; i++) {
    visit(context, (struct spgc_slot){&queue.entries[i].finalizer.object}, "queued object");
    visit(context, (struct spgc_slot){&queue.entries[i].finalizer.held},
          "held reference of a queued finalizer");
  }
  for (uint32_t i = 0; i < spgc_registrations.count; i++) {
    struct registration *registration = spgc_side_table_at(&spgc_registrations, i);
    visit(context, (struct spgc_slot){&registration->entry.object}, "object with a finalizer");
    visit(context, (struct spgc_slot){&registration->held}, "held reference of a finalizer");
  }
}

static void stop(void) {
  spgc_side_table_free(&spgc_registrations);
  free(queue.entries);
  queue = (struct queue){0};
  next_number = 0;
}

const struct spgc_weak_table spgc_table_of_finalizers = {
    .settle = settle, .visit = visit_all, .stop = stop};
