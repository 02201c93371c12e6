/* refused: a word that is declared as a reference is read or written as a number, and */
/* References exchanged atomically, in all ways of C, while they move. */
#include "spgc/managed.h"

#include <stdatomic.h>
#include <stdbool.h>

struct node {
  const struct spgc_type *type;
  long value;
  struct node SPGC_MANAGED *next;
  struct node SPGC_MANAGED *_Atomic top;
  _Atomic long count;
};

typedef struct node SPGC_MANAGED *node;

union word {
  node object;
  long number;
};

struct box {
  const struct spgc_type *type;
  union word word;
};

struct boxed {
  node object;
};

struct holder {
  const struct spgc_type *type;
  _Atomic(struct boxed) boxed;
};

static const uint32_t node_references[] = {SPGC_OFFSET(struct node, next),
                                           SPGC_OFFSET(struct node, top)};
static const struct spgc_type node_type = {.size = sizeof(struct node),
                                           .reference_count = 2,
                                           .reference_offsets = node_references,
                                           .name = "node"};
static const uint32_t box_references[] = {SPGC_OFFSET(struct box, word)};
static const struct spgc_type box_type = {.size = sizeof(struct box),
                                          .reference_count = 1,
                                          .reference_offsets = box_references,
                                          .name = "box"};

static const uint32_t holder_references[] = {SPGC_OFFSET(struct holder, boxed)};
static const struct spgc_type holder_type = {.size = sizeof(struct holder),
                                             .reference_count = 1,
                                             .reference_offsets = holder_references,
                                             .name = "holder"};

node root;
_Atomic(node) atomic_root;

__attribute__((noinline)) static node make(long value) {
  node made = spgc_allocate(&node_type);
  made->value = value;
  return made;
}

/* A found reference lives across an allocation; its number does not. */
static long exchanged(node holder, long i) {
  node old = __atomic_exchange_n(&holder->next, make(i), __ATOMIC_SEQ_CST); /* at: 'exchanged' */
  node other = __sync_lock_test_and_set(&holder->next, make(i + 1));
  node third = atomic_exchange_explicit(&holder->top, make(i + 2), memory_order_acq_rel);
  make(-1);
  return (old == NULL ? 0 : old->value) + other->value + (third == NULL ? 0 : third->value) +
         holder->next->value;
}

static long compared(node holder, long i) {
  node expected = holder->next;
  bool first = __atomic_compare_exchange_n(&holder->next, &expected, make(i), false,
                                           __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
  bool second = __sync_bool_compare_and_swap(&holder->next, holder->next, make(i + 1));
  node before = holder->next;
  node found = __sync_val_compare_and_swap(&holder->next, before, make(i + 2));
  make(-1);
  return first + 2 * second + 4 * (found == before) + found->value + holder->next->value;
}

static long refused(node holder, long i) {
  node wanted = make(i), expected = make(i + 1);
  holder->top = wanted;
  bool stored = atomic_compare_exchange_strong(&holder->top, &expected, make(i + 2));
  make(-1);
  node null = NULL;
  bool again = __sync_bool_compare_and_swap(&holder->next, null, make(-2));
  return !stored + 2 * !again + 4 * (expected == wanted) + expected->value;
}

static void push(node holder, long value) {
  node new = make(value);
  node top = atomic_load(&holder->top);
  do
    new->next = top;
  while (!atomic_compare_exchange_weak(&holder->top, &top, new));
}

static long pop(node holder) {
  node top = atomic_load_explicit(&holder->top, memory_order_acquire);
  while (top != NULL && !atomic_compare_exchange_weak(&holder->top, &top, top->next))
    ;
  make(-1);
  return top == NULL ? 0 : top->value;
}

static long stacked(long i) {
  node holder = make(0);
  for (long k = 0; k < 4; k++)
    push(holder, i + k);
  long sum = 0;
  for (long weight = 1; weight <= 5; weight++)
    sum += weight * pop(holder);
  return sum;
}

static bool replace(node holder, node *expected, node value) {
  return __atomic_compare_exchange_n(&holder->next, expected, value, true, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE);
}

static long through_pointer(long i) {
  node holder = make(0), expected = make(1);
  holder->next = make(i);
  bool first = replace(holder, &expected, make(-1));
  make(-1);
  long found = expected->value;
  while (!replace(holder, &expected, make(i + 1)))
    ;
  return found + first + holder->next->value;
}

static long in_roots(long i) {
  __atomic_store_n(&root, make(i), __ATOMIC_RELEASE);
  atomic_store(&atomic_root, make(i + 1));
  node loaded = __atomic_load_n(&root, __ATOMIC_ACQUIRE);
  node old = atomic_exchange(&atomic_root, loaded);
  make(-1);
  bool stored = atomic_compare_exchange_strong(&atomic_root, &loaded, old);
  make(-1);
  return loaded->value + old->value + atomic_load(&atomic_root)->value + stored;
}

static long fields(node holder, long i) {
  __atomic_store_n(&holder->next, make(i), __ATOMIC_RELEASE);
  node loaded = __atomic_load_n(&holder->next, __ATOMIC_SEQ_CST);
  make(-1);
  atomic_store(&holder->top, loaded);
  make(-1);
  atomic_fetch_add(&holder->count, 3);
  return (holder->top == holder->next) + loaded->value + atomic_exchange(&holder->count, 1);
}

static long in_union(long i) {
  struct box SPGC_MANAGED *box = spgc_allocate(&box_type);
  long before = __atomic_exchange_n(&box->word.number, 2 * i + 1, __ATOMIC_SEQ_CST);
  long number = __atomic_load_n(&box->word.number, __ATOMIC_RELAXED);
  __atomic_store_n(&box->word.object, make(i), __ATOMIC_RELEASE);
  make(-1);
  node object = __atomic_exchange_n(&box->word.object, NULL, __ATOMIC_SEQ_CST);
  make(-1);
  return before + number + object->value;
}

static long structures(long i) {
  struct holder SPGC_MANAGED *holder = spgc_allocate(&holder_type);
  struct boxed first = {make(i)}, second = {make(i + 1)};
  atomic_store(&holder->boxed, first);
  make(-1);
  struct boxed expected = second;
  bool stored = atomic_compare_exchange_strong(&holder->boxed, &expected, second);
  make(-1);
  struct boxed old = atomic_exchange(&holder->boxed, second);
  _Atomic(node) local = old.object;
  node third = make(i + 2);
  node was = atomic_exchange(&local, third);
  make(-1);
  return stored + (expected.object == first.object) + old.object->value + was->value +
         atomic_load(&local)->value;
}

static long nested(node holder, long i) {
  node other = make(i);
  node old = __atomic_exchange_n(&holder->next,
                                 __atomic_exchange_n(&other->next, make(i + 1), __ATOMIC_SEQ_CST),
                                 __ATOMIC_SEQ_CST);
  make(-1);
  volatile node expected = NULL;
  bool stored = __atomic_compare_exchange_n(&holder->next, (node *)&expected, other, false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  make(-1);
  return stored + old->value + holder->next->value + other->next->value;
}

static long as_number(node holder) {
  node now = holder->next;
  unsigned long address = (unsigned long)now;
  unsigned long found = (unsigned long)__sync_val_compare_and_swap(&holder->next, now, now);
  return found == address;
}

long managed_run(long n) {
  long sum = 0;
  node holder = make(0);
  for (long i = 0; i < n; i++) {
    sum += exchanged(holder, i) + compared(holder, i) + refused(holder, i) + stacked(i) +
           through_pointer(i);
    sum += in_roots(i) + fields(holder, i) + in_union(i) + structures(i) + nested(holder, i) +
           as_number(holder);
  }
  return sum;
}
