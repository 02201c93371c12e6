/* All of spgc/managed.h, and other functions with references. */
#include "spgc/managed.h"

#include "spgc/handle.h"
#include "spgc/identity.h"
#include "spgc/thread.h"
#include "spgc/weak_map.h"

struct cell {
  const struct spgc_type *type;
  struct cell SPGC_MANAGED *next;
  long value;
};

struct row {
  const struct spgc_type *type;
  uint64_t length;
  struct cell SPGC_MANAGED *at[];
};

struct entry {
  long weight;
  struct cell SPGC_MANAGED *cell;
};

struct table {
  const struct spgc_type *type;
  uint64_t length;
  struct entry at[];
};

struct number {
  const struct spgc_type *type;
  long value;
};

struct text {
  const struct spgc_type *type;
  uint64_t length;
  char at[];
};

static const struct spgc_type cell_type =
    SPGC_OBJECT_TYPE(struct cell, SPGC_OFFSET(struct cell, next));
static const struct spgc_type row_type = SPGC_ARRAY_TYPE(struct row, at, 0);
static const struct spgc_type table_type =
    SPGC_ARRAY_TYPE(struct table, at, SPGC_OFFSET(struct entry, cell));
static const struct spgc_type number_type = SPGC_DATA_TYPE(struct number);
static const struct spgc_type text_type = SPGC_DATA_ARRAY_TYPE(struct text, at);

static struct table SPGC_MANAGED *kept;
static struct {
  long rounds;
  struct cell SPGC_MANAGED *cells;
} state;

__attribute__((noinline)) static struct cell SPGC_MANAGED *make(long value) {
  struct cell SPGC_MANAGED *cell = spgc_allocate(&cell_type);
  cell->value = value;
  return cell;
}

/* A leaf stores a reference through an interior pointer, with a barrier. */
SPGC_LEAF __attribute__((noinline)) static void add(long SPGC_MANAGED *place, long value,
                                                    struct cell SPGC_MANAGED *at,
                                                    struct cell SPGC_MANAGED *next) {
  for (long i = 0; i < value; i++)
    ++*place;
  at->next = next;
}

__attribute__((noinline)) static long leaves(long n) {
  struct cell SPGC_MANAGED *cell = make(n);
  struct cell SPGC_MANAGED *next = make(1);
  add(&cell->value, n, cell, next);
  make(0);
  return cell->value - 2 * n + cell->next->value;
}

/* An interrupt is not served, because nothing polls. */
SPGC_NO_POLL __attribute__((noinline)) static long wait_without_polls(struct cell SPGC_MANAGED *at,
                                                                      long n) {
  for (long i = 0; i < n; i++)
    at->value += i % 3;
  return at->value;
}

__attribute__((noinline)) static long no_polls(long n) {
  struct cell SPGC_MANAGED *cell = make(0);
  const volatile uintptr_t *poll = &spgc_thread.poll;
  spgc_thread_interrupt();
  uintptr_t asked = *poll;
  long sum = wait_without_polls(cell, n);
  bool is_kept = *poll == asked && sum <= 2 * n;
  spgc_poll();
  return is_kept && *poll != asked;
}

__attribute__((noinline)) static long references_of_c(long n) {
  struct cell SPGC_MANAGED *cell = make(n);
  struct spgc_ref as_ref = SPGC_REF(cell);
  uint32_t hash = spgc_identity_hash(as_ref);
  make(0);
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle handle = spgc_handle_make(as_ref);
  struct spgc_ref from_handle = spgc_handle_get(handle);
  make(0);
  struct cell SPGC_MANAGED *same = SPGC_OBJECT(from_handle);
  long held = same->value == n && spgc_ref_equal(as_ref, from_handle) && same == cell;
  spgc_scope_close(scope);
  return held && !spgc_ref_is_null(as_ref) && hash == spgc_identity_hash(SPGC_REF(same));
}

__attribute__((noinline)) static long weak_maps(struct spgc_weak_map map, long n) {
  struct cell SPGC_MANAGED *key = make(n);
  bool stored = spgc_weak_map_set(map, SPGC_REF(key), SPGC_REF(make(n + 1)), NULL) == SPGC_OK;
  make(0);
  struct spgc_ref found;
  if (!stored || !spgc_weak_map_get(map, SPGC_REF(key), &found))
    return 0;
  make(0);
  struct cell SPGC_MANAGED *value = SPGC_OBJECT(found);
  return value->value == key->value + 1;
}

static long arrays(long n) {
  struct row SPGC_MANAGED *row = spgc_allocate_array(&row_type, 3);
  struct text SPGC_MANAGED *text = spgc_allocate_array(&text_type, 5);
  struct number SPGC_MANAGED *number = spgc_allocate(&number_type);
  number->value = n;
  text->at[4] = 'x';
  for (long i = 0; i < 3; i++) {
    struct cell SPGC_MANAGED *cell = make(i);
    row->at[i] = cell;
    kept->at[i].cell = cell;
    kept->at[i].weight = i;
  }
  make(0);
  long sum = text->at[4] == 'x' && text->at[3] == 0 && number->value == n;
  for (long i = 0; i < 3; i++)
    sum += row->at[i] == kept->at[i].cell && row->at[i]->value == kept->at[i].weight;
  return sum;
}

long managed_run(long n) {
  struct spgc_weak_map map;
  if (spgc_weak_map_create(spgc_ref_null(), &map, NULL) != SPGC_OK || spgc_stack_low())
    return -1;
  kept = spgc_allocate_array(&table_type, 3);
  long sum = 0;
  for (state.rounds = 0; state.rounds < n; state.rounds++) {
    struct cell SPGC_MANAGED *cell = make(state.rounds);
    cell->next = state.cells;
    state.cells = cell;
    sum += leaves(state.rounds) + references_of_c(state.rounds) + weak_maps(map, state.rounds) +
           no_polls(state.rounds);
    spgc_poll();
    sum += arrays(state.rounds) + (state.cells->value == state.rounds);
  }
  spgc_weak_map_destroy(map);
  return sum;
}
