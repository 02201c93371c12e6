/* Shared references, by the macros of spgc/managed.h. */
#include "spgc/managed.h"

#include <stdatomic.h>

#include "spgc/value.h"

struct node {
  const struct spgc_type *type;
  long value;
  struct node SPGC_MANAGED *next;
  struct {
    struct node SPGC_MANAGED *top;
  } stack;
  spgc_value word;
  _Atomic long count;
};
typedef struct node SPGC_MANAGED *node;

struct nodes {
  const struct spgc_type *type;
  uint64_t length;
  node at[];
};

static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, next),
                     SPGC_OFFSET(struct node, stack.top), SPGC_OFFSET(struct node, word));
static const struct spgc_type nodes_type = SPGC_ARRAY_TYPE(struct nodes, at, 0);

__attribute__((noinline)) static node make(long value) {
  node made = spgc_allocate(&node_type);
  made->value = value;
  return made;
}

static long exchanged(node holder, long i) {
  node old = SPGC_EXCHANGE(holder, next, make(i));
  node other = SPGC_EXCHANGE(holder, next, make(i + 1));
  node third = SPGC_EXCHANGE(holder, stack.top, make(i + 2));
  make(-1);
  return (old == NULL ? 0 : old->value) + other->value + (third == NULL ? 0 : third->value) +
         holder->next->value;
}

static long compared(node holder, long i) {
  node expected = holder->next;
  node new = make(i);
  node found = SPGC_COMPARE_EXCHANGE(holder, next, expected, new);
  make(-1);
  node second = SPGC_COMPARE_EXCHANGE(holder, next, new, make(i + 1));
  make(-1);
  return (found == expected) + 2 * (second == new) + found->value + second->value +
         holder->next->value;
}

static long refused(node holder, long i) {
  node wanted = make(i), expected = make(i + 1);
  holder->stack.top = wanted;
  node found = SPGC_COMPARE_EXCHANGE(holder, stack.top, expected, make(i + 2));
  make(-1);
  node again = SPGC_COMPARE_EXCHANGE(holder, next, NULL, make(-2));
  make(-1);
  return (found == wanted) + 2 * (again != NULL) + 4 * (holder->stack.top == wanted) + found->value;
}

static void push(node holder, long value) {
  node new = make(value);
  node top = SPGC_LOAD_ACQUIRE(holder, stack.top);
  for (;;) {
    new->next = top;
    node found = SPGC_COMPARE_EXCHANGE(holder, stack.top, top, new);
    if (found == top)
      return;
    top = found;
  }
}

static long pop(node holder) {
  node top = SPGC_LOAD_ACQUIRE(holder, stack.top);
  while (top != NULL) {
    node found = SPGC_COMPARE_EXCHANGE(holder, stack.top, top, top->next);
    if (found == top)
      break;
    top = found;
  }
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

static long fields(node holder, long i) {
  SPGC_STORE_RELEASE(holder, next, make(i));
  node loaded = SPGC_LOAD_ACQUIRE(holder, next);
  make(-1);
  SPGC_STORE_RELEASE(holder, stack.top, loaded);
  make(-1);
  atomic_fetch_add(&holder->count, 3);
  return (holder->stack.top == holder->next) + loaded->value + atomic_exchange(&holder->count, 1);
}

/* An old object gets young elements, so it needs a card. */
static long elements(long i) {
  struct nodes SPGC_MANAGED *nodes = spgc_allocate_array(&nodes_type, 4);
  for (int round = 0; round < 3; round++)
    make(-1);
  for (long k = 0; k < 4; k++)
    SPGC_STORE_RELEASE(nodes, at[k], make(i + k));
  node first = SPGC_EXCHANGE(nodes, at[i & 3], NULL);
  make(-1);
  long sum = first->value - i - (i & 3);
  for (long k = 0; k < 4; k++)
    sum += nodes->at[k] == NULL ? 1 : nodes->at[k]->value - i - k;
  return sum;
}

static long values(long i) {
  node holder = make(0);
  SPGC_STORE_RELEASE(holder, word, spgc_value_from_integer(i));
  spgc_value number = SPGC_EXCHANGE(holder, word, (spgc_value)make(i));
  make(-1);
  spgc_value object = SPGC_LOAD_ACQUIRE(holder, word);
  return spgc_value_integer(number) + ((node)object)->value;
}

static long nested(node holder, long i) {
  node other = make(i);
  node old = SPGC_EXCHANGE(holder, next, SPGC_EXCHANGE(other, next, make(i + 1)));
  make(-1);
  node found = SPGC_COMPARE_EXCHANGE(holder, next, NULL, other);
  make(-1);
  return (found == NULL) + old->value + holder->next->value + other->next->value;
}

long managed_run(long n) {
  long sum = 0;
  node holder = make(0);
  for (long i = 0; i < n; i++) {
    sum += exchanged(holder, i) + compared(holder, i) + refused(holder, i) + stacked(i);
    sum += fields(holder, i) + elements(i) + values(i) + nested(holder, i);
  }
  return sum;
}
