#include "observe/timeline/trace_buffer.h"

#include <string.h>
#include <sys/mman.h>

enum {
  MASK = SPGC_TRACE_BUFFER_EVENTS - 1,
  HALF = SPGC_TRACE_BUFFER_EVENTS / 2,
  MOST_FLOODED = SPGC_TRACE_BUFFER_EVENTS / 4 * 3, /* floods leave the rest free */
};

static const size_t BYTES = SPGC_TRACE_BUFFER_EVENTS * sizeof(struct spgc_trace_place);

static bool reserve(struct spgc_trace_buffer *buffer) {
  void *places = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (places == MAP_FAILED)
    return false;
  buffer->places = places;
  return true;
}

bool spgc_trace_buffer_begin(struct spgc_trace_buffer *buffer) {
  if (buffer->places == NULL && !reserve(buffer))
    return false;
  for (uint64_t i = 0; i < SPGC_TRACE_BUFFER_EVENTS; i++)
    atomic_store_explicit(&buffer->places[i].turn, i, memory_order_relaxed);
  atomic_store(&buffer->added, 0);
  atomic_store(&buffer->taken, 0);
  atomic_store(&buffer->lost, 0);
  return true;
}

void spgc_trace_buffer_end(struct spgc_trace_buffer *buffer) {
  madvise(buffer->places, BYTES, MADV_DONTNEED);
}

static bool comes_in_floods(enum spgc_trace_kind kind) {
  return kind == SPGC_TRACE_blocking || kind == SPGC_TRACE_cycle_step;
}

/* Negative if `at` is out of date. */
static int64_t used_before(const struct spgc_trace_buffer *buffer, uint64_t at) {
  return (int64_t)(at - atomic_load_explicit(&buffer->taken, memory_order_relaxed));
}

/* Reserves number `*at`, and its place. */
static bool get_place(struct spgc_trace_buffer *buffer, uint64_t *at, int64_t most_used) {
  *at = atomic_load_explicit(&buffer->added, memory_order_relaxed);
  for (;;) {
    uint64_t turn = atomic_load_explicit(&buffer->places[*at & MASK].turn, memory_order_acquire);
    if (turn < *at || used_before(buffer, *at) > most_used)
      return false;
    if (turn > *at)
      *at = atomic_load_explicit(&buffer->added, memory_order_relaxed);
    else if (atomic_compare_exchange_weak_explicit(&buffer->added, at, *at + 1,
                                                   memory_order_relaxed, memory_order_relaxed))
      return true;
  }
}

bool spgc_trace_buffer_add(struct spgc_trace_buffer *buffer, enum spgc_trace_kind kind,
                           const void *event, size_t size) {
  uint64_t at;
  if (!get_place(buffer, &at, comes_in_floods(kind) ? MOST_FLOODED : SPGC_TRACE_BUFFER_EVENTS)) {
    atomic_fetch_add_explicit(&buffer->lost, 1, memory_order_relaxed);
    return true;
  }
  struct spgc_trace_place *place = &buffer->places[at & MASK];
  place->record.kind = kind;
  memcpy(&place->record.event, event, size);
  atomic_store_explicit(&place->turn, at + 1, memory_order_release);
  return used_before(buffer, at) > HALF;
}

bool spgc_trace_buffer_take(struct spgc_trace_buffer *buffer, struct spgc_trace_record *record) {
  uint64_t at = atomic_load_explicit(&buffer->taken, memory_order_relaxed);
  struct spgc_trace_place *place = &buffer->places[at & MASK];
  if (atomic_load_explicit(&place->turn, memory_order_acquire) != at + 1)
    return false;
  *record = place->record;
  atomic_store_explicit(&place->turn, at + SPGC_TRACE_BUFFER_EVENTS, memory_order_release);
  atomic_store_explicit(&buffer->taken, at + 1, memory_order_relaxed);
  return true;
}
