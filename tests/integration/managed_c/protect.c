/* Protected calls between managed frames with references in registers, left in every way. */
#include "spgc/managed.h"

#include <stdbool.h>
#include <stdlib.h>

#include "spgc/heap.h"
#include "spgc/protect.h"
#include "spgc/thread.h"

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

enum way { RETURN, LEAVE, LEAVE_OUTER, LEAVE_BLOCKING, LEAVE_MANAGED, LEAVE_INTO_BLOCKING, WAYS };

static struct spgc_protection *outer;
static void *token = &token;

static struct cell SPGC_MANAGED *make(long number) {
  struct cell SPGC_MANAGED *cell = spgc_allocate(&cell_type);
  cell->next = NULL;
  cell->number = number;
  return cell;
}

/* Stale addresses lead to other numbers. */
static void __attribute__((noinline)) churn(long n) {
  struct cell SPGC_MANAGED *list = NULL;
  for (long i = 0; i < n; i++) {
    struct cell SPGC_MANAGED *cell = make(-1);
    cell->next = i % 8 == 0 ? NULL : list;
    list = cell;
  }
}

static void *leave_plainly(void *value) {
  spgc_leave(NULL, value);
}

static void *leave_outer(void *value) {
  spgc_leave(outer, value);
}

static long __attribute__((noinline)) act_deeper(enum way way, long depth);

static void *act_in_managed(void *way) {
  return (void *)act_deeper((enum way)(long)way, 3);
}

static void *protect_in_blocking(void *argument) {
  bool left;
  void *value = spgc_protect(argument != NULL ? leave_plainly : leave_outer, token, &left);
  return left && value == token ? token : NULL;
}

static void *leave_through_managed(void *unused) {
  (void)unused;
  return spgc_call_managed(act_in_managed, (void *)(long)LEAVE);
}

static void *come_back_into_blocking(void *unused) {
  (void)unused;
  bool left;
  void *value = spgc_protect(leave_through_managed, NULL, &left);
  return left && value == token ? token : NULL;
}

static long __attribute__((noinline)) act_deeper(enum way way, long depth) {
  reference a = make(1), b = make(2);
  if (depth != 0)
    return act_deeper(way, depth - 1) + a->number - b->number;
  churn(40);
  void *value = NULL;
  switch (way) {
  case LEAVE: value = leave_plainly(token); break;
  case LEAVE_OUTER: value = leave_outer(token); break;
  case LEAVE_BLOCKING: value = spgc_call_blocking(leave_outer, token); break;
  case LEAVE_MANAGED: value = spgc_call_blocking(leave_through_managed, NULL); break;
  case LEAVE_INTO_BLOCKING:
    if (spgc_call_blocking(come_back_into_blocking, NULL) != token ||
        spgc_call_blocking(protect_in_blocking, token) != token)
      abort();
    value = spgc_call_blocking(protect_in_blocking, NULL);
    break;
  default: break;
  }
  return (long)value + a->number + b->number;
}

static void *act(void *way) {
  return act_in_managed(way);
}

static void *protect_inner(void *way) {
  outer = spgc_protection();
  bool left;
  void *value = spgc_protect(act, way, &left);
  return (enum way)(long)way == LEAVE || (enum way)(long)way == LEAVE_MANAGED
             ? (left ? value : NULL)
             : value;
}

/* More references are live than there are callee-saved registers. */
static long __attribute__((noinline)) round_of(enum way way, long n) {
  reference a = make(n), b = make(n + 1), c = make(n + 2), d = make(n + 3);
  reference e = make(n + 4), f = make(n + 5), g = make(n + 6);
  bool left;
  void *value = spgc_protect(protect_inner, (void *)(long)way, &left);
  bool leaves_outer = way == LEAVE_OUTER || way == LEAVE_BLOCKING || way == LEAVE_INTO_BLOCKING;
  if (left != leaves_outer || (way == RETURN) == (value == token) || spgc_protection() != NULL)
    return -1000000;
  churn(20 + n % 23);
  return a->number + b->number + c->number + d->number + e->number + f->number + g->number;
}

long managed_run(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++)
    for (int way = 0; way < WAYS; way++)
      sum += round_of((enum way)way, i);
  return sum;
}
