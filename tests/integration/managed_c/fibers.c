/* Fibers with managed frames. */
#include "spgc/managed.h"

#include <stdbool.h>
#include <stdlib.h>

#include "spgc/fiber.h"
#include "spgc/heap.h"

struct cell {
  const struct spgc_type *type;
  struct cell SPGC_MANAGED *next;
  long number;
};

typedef struct cell SPGC_MANAGED *reference;

static const uint32_t cell_references[] = {SPGC_OFFSET(struct cell, next)};
static const struct spgc_type cell_type = {.size = sizeof(struct cell),
                                           .reference_count = 1,
                                           .reference_offsets = cell_references,
                                           .name = "cell"};

static reference make(reference next, long number) {
  reference cell = spgc_allocate(&cell_type);
  cell->next = next;
  cell->number = number;
  return cell;
}

static struct spgc_fiber *create(spgc_fiber_entry entry) {
  struct spgc_fiber *fiber;
  struct spgc_error error;
  if (spgc_fiber_create(entry, NULL, 2 * SPGC_FIBER_STACK_LEAST, &fiber, &error) != SPGC_OK)
    abort();
  return fiber;
}

static struct spgc_fiber *consumer;

static void yield(long number) {
  spgc_fiber_switch(consumer, (void *)number);
}

static void __attribute__((noinline)) walk_tree(long depth, long number) {
  reference left = make(NULL, 2 * number), right = make(left, 2 * number + 1);
  if (depth == 0)
    yield(number);
  else {
    walk_tree(depth - 1, left->number);
    walk_tree(depth - 1, right->number);
  }
  if (right->next != left || left->number != 2 * number)
    abort();
}

static struct spgc_fiber_end produce(void *depth) {
  walk_tree((long)depth, 1);
  return (struct spgc_fiber_end){consumer, NULL};
}

static long __attribute__((noinline)) consume(long depth) {
  consumer = spgc_fiber_current();
  struct spgc_fiber *fiber = create(produce);
  long sum = 0, number;
  reference sums = NULL;
  for (number = (long)spgc_fiber_switch(fiber, (void *)depth); !spgc_fiber_is_finished(fiber);
       number = (long)spgc_fiber_switch(fiber, NULL))
    sums = make(sums, number);
  spgc_fiber_release(fiber);
  for (; sums != NULL; sums = sums->next)
    sum += sums->number;
  return sum;
}

/* ---- Switching at random ---- */

enum { FIBERS = 24, MOST_DEPTH = 12 };

static struct {
  struct spgc_fiber *fiber;
  long steps; /* that it was switched to */
} players[FIBERS];

static unsigned long random_state;
static long switches_left;
static bool ending;

static unsigned long below(unsigned long limit) {
  random_state = random_state * 6364136223846793005ul + 1442695040888963407ul;
  return (random_state >> 33) % limit;
}

static void switch_somewhere(long self) {
  if (switches_left-- <= 0)
    ending = true;
  long next = ending ? -1 : (long)below(FIBERS);
  if (next == self)
    return;
  spgc_fiber_switch(next < 0 ? consumer : players[next].fiber, (void *)next);
}

/* More references than registers that calls preserve, over switches and calls of all kinds. */
static void __attribute__((noinline)) play(long self, long depth) {
  reference a = make(NULL, self), b = make(a, depth), c = make(b, self + depth);
  reference d = make(c, 1), e = make(d, 2), f = make(e, 3);
  while (!ending) {
    players[self].steps++;
    switch_somewhere(self);
    if (a->number != self || b->number != depth || c->number != self + depth || d->next != c ||
        e->next != d || f->next != e || f->number != 3 || b->next != a)
      abort();
    if (depth < MOST_DEPTH && below(2) == 0)
      play(self, depth + 1);
    else if (depth != 0 && below(2) == 0)
      return;
  }
}

static struct spgc_fiber_end start_player(void *self) {
  play((long)self, 0);
  return (struct spgc_fiber_end){consumer, NULL};
}

static long play_all(long switches) {
  consumer = spgc_fiber_current();
  switches_left = switches;
  ending = false;
  random_state = 42;
  for (long i = 0; i < FIBERS; i++) {
    players[i].fiber = create(start_player);
    players[i].steps = 0;
  }
  for (long i = 0; i < FIBERS; i++)
    if (i == 0 || !spgc_fiber_is_finished(players[i].fiber))
      spgc_fiber_switch(players[i].fiber, (void *)i);
  long steps = 0;
  for (long i = 0; i < FIBERS; i++) {
    steps += players[i].steps;
    spgc_fiber_release(players[i].fiber);
  }
  return steps > 0 ? 1 : -1000000;
}

/* ---- Many that wait ---- */

static struct spgc_fiber_end wait_once(void *number) {
  reference a = make(NULL, (long)number), b = make(a, 2 * (long)number);
  spgc_fiber_switch(consumer, NULL);
  return (struct spgc_fiber_end){consumer, (void *)(a->number + b->number + b->next->number)};
}

/* The fewest, because one that begins or ends a marking visits all. */
static uint64_t frames_of_a_minor_collection(void) {
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 8; i++) {
    struct spgc_statistics before, after;
    spgc_statistics_read(&before);
    spgc_collect(SPGC_COLLECTION_MINOR);
    spgc_statistics_read(&after);
    uint64_t frames = after.frames_walked - before.frames_walked;
    if (after.final_marks + after.full_collections != before.final_marks + before.full_collections)
      return 0; /* options have all collections be full */
    least = frames < least ? frames : least;
  }
  return least;
}

/* ---- A deep stack of which little runs ---- */

enum { DEEP = 150, RESUMPTIONS = 12 };

static long __attribute__((noinline)) dive(long depth) {
  reference a = make(NULL, depth), b = make(a, -depth), c = make(b, 1), d = make(c, 2);
  reference e = make(d, 3), f = make(e, 4), g = make(f, 5), h = make(g, 6);
  long sum = 0;
  if (depth < DEEP)
    sum = dive(depth + 1);
  else
    for (int i = 0; i < RESUMPTIONS; i++) {
      reference young = make(b, i);
      spgc_fiber_switch(consumer, NULL);
      sum += young->number - i + young->next->number;
    }
  if (h->next != g || g->next != f || f->next != e || e->next != d || d->next != c || c->next != b)
    abort();
  return sum + a->number + b->number;
}

static struct spgc_fiber_end run_dive(void *unused) {
  (void)unused;
  return (struct spgc_fiber_end){consumer, (void *)dive(0)};
}

static uint64_t roots_in(const struct spgc_fiber *fiber) {
  static const struct spgc_stack_visitor counting;
  struct spgc_walk_counts counts;
  spgc_fiber_walk(fiber, &counting, &counts);
  if ((counts.managed_frames == 0) != (counts.roots_in_slots + counts.roots_in_registers == 0))
    abort();
  return counts.roots_in_slots + counts.roots_in_registers;
}

/* The first walks meet all of it; then it has a watermark. */
static long resume_a_deep_fiber(void) {
  consumer = spgc_fiber_current();
  struct spgc_fiber *fiber = create(run_dive);
  uint64_t least = UINT64_MAX;
  if (roots_in(fiber) != 0)
    abort();
  for (int i = 0; i < RESUMPTIONS; i++) {
    spgc_fiber_switch(fiber, NULL);
    if (roots_in(fiber) < 2 * DEEP)
      abort();
    struct spgc_statistics before, after;
    spgc_statistics_read(&before);
    spgc_collect(SPGC_COLLECTION_MINOR);
    spgc_statistics_read(&after);
    uint64_t frames = after.frames_walked - before.frames_walked;
    if (after.final_marks + after.full_collections == before.final_marks + before.full_collections)
      least = frames < least ? frames : least;
  }
  long sum = (long)spgc_fiber_switch(fiber, NULL);
  if (roots_in(fiber) != 0)
    abort();
  spgc_fiber_release(fiber);
  if (least != UINT64_MAX && least > 40)
    abort();
  return sum;
}

static long __attribute__((noinline)) dive_and_collect(long depth, reference outer) {
  reference a = make(outer, depth);
  if (depth < DEEP)
    return dive_and_collect(depth + 1, a) + a->number;
  if (frames_of_a_minor_collection() > 40)
    abort();
  return a->number;
}

static struct spgc_fiber_end run_dive_and_collect(void *unused) {
  (void)unused;
  return (struct spgc_fiber_end){consumer, (void *)dive_and_collect(0, NULL)};
}

/* Also a fiber that is never suspended gets a watermark. */
static void collect_in_a_deep_fiber(void) {
  consumer = spgc_fiber_current();
  struct spgc_fiber *fiber = create(run_dive_and_collect);
  if ((long)spgc_fiber_switch(fiber, NULL) != DEEP * (DEEP + 1) / 2)
    abort();
  spgc_fiber_release(fiber);
}

/* ---- Variables that others write while their stack waits ---- */

static void litter(long count) {
  for (long i = 0; i < count; i++)
    make(NULL, -1);
}

static long litter_count;

static struct spgc_fiber_end answer(void *result) {
  reference *out = result;
  for (long i = 0; i < 6; i++) {
    spgc_collect(i == 3 ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR);
    *out = make(*out, i);
    spgc_collect(i == 4 ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR);
    litter(litter_count);
  }
  return (struct spgc_fiber_end){consumer, NULL};
}

static void __attribute__((noinline)) ask(void) {
  consumer = spgc_fiber_current();
  reference result = NULL;
  struct spgc_fiber *fiber = create(answer);
  spgc_fiber_switch(fiber, &result);
  spgc_fiber_release(fiber);
  for (long i = 5; i >= 0; i--, result = result->next)
    if (result->number != i)
      abort();
  if (result != NULL)
    abort();
}

/* A fiber notes a few variables, a watermark more, but not MOST_LENT. */
enum { FEW_LENT = 10, MORE_LENT = 60, MOST_LENT = 600, LOANS = 3 };

static reference *lent[MOST_LENT];
static long lent_count;

static void fill(long first) {
  for (long i = 0; i < lent_count; i++)
    *lent[i] = make(make(NULL, -first - i), first + i);
}

static void check(long first) {
  for (long i = 0; i < lent_count; i++)
    if ((*lent[i])->number != first + i || (*lent[i])->next->number != -first - i)
      abort();
}

static void __attribute__((noinline)) lend(long depth) {
  reference own = NULL;
  lent[depth] = &own;
  if (depth + 1 < lent_count)
    lend(depth + 1);
  else
    for (long i = 0; i < LOANS; i++) {
      spgc_fiber_switch(consumer, NULL);
      check(i * lent_count);
    }
  if (own->number != (LOANS - 1) * lent_count + depth)
    abort();
}

static struct spgc_fiber_end start_lender(void *unused) {
  (void)unused;
  lend(0);
  return (struct spgc_fiber_end){consumer, NULL};
}

/* The first collection finds out that the fiber waits. */
static void use_variables_of_a_waiting_fiber(long count) {
  consumer = spgc_fiber_current();
  lent_count = count;
  struct spgc_fiber *fiber = create(start_lender);
  for (long i = 0; i < LOANS; i++) {
    spgc_fiber_switch(fiber, NULL);
    spgc_collect(SPGC_COLLECTION_MINOR);
    if (count == FEW_LENT && frames_of_a_minor_collection() > 8)
      abort();
    for (long first = 0; first <= i * count; first += count) {
      fill(first);
      spgc_collect(first == count ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR);
      litter(litter_count);
      check(first);
    }
  }
  spgc_fiber_switch(fiber, NULL);
  if (!spgc_fiber_is_finished(fiber))
    abort();
  spgc_fiber_release(fiber);
}

static long wait_all(long count) {
  consumer = spgc_fiber_current();
  struct spgc_fiber **fibers = calloc((size_t)count, sizeof *fibers);
  for (long i = 0; i < count; i++) {
    fibers[i] = create(wait_once);
    spgc_fiber_switch(fibers[i], (void *)i);
  }
  if (frames_of_a_minor_collection() > 8)
    abort();
  reference list = NULL;
  for (long i = 0; i < 10 * count; i++)
    list = make(i % 100 == 0 ? NULL : list, i);
  long sum = 0;
  for (long i = 0; i < count; i++) {
    sum += (long)spgc_fiber_switch(fibers[i], NULL);
    spgc_fiber_release(fibers[i]);
  }
  free(fibers);
  return sum;
}

long managed_run(long n) {
  litter_count = n / 2;
  ask();
  collect_in_a_deep_fiber();
  use_variables_of_a_waiting_fiber(FEW_LENT);
  use_variables_of_a_waiting_fiber(MORE_LENT);
  if (n > 100)
    use_variables_of_a_waiting_fiber(MOST_LENT);
  long sum = consume(5);
  for (int i = 0; i < 2; i++)
    sum += play_all(20 * n);
  return sum + resume_a_deep_fiber() + RESUMPTIONS * DEEP + wait_all(n);
}
