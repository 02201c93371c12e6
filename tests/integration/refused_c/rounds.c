/* refused: a structure with references is passed in stack memory that the collector */
/* Addresses, and words that may be references, that a loop's condition computes and the round uses.
 * The optimiser puts the condition at the end of rounds, and makes loops of tail calls. */
#include "spgc/managed.h"

typedef struct node SPGC_MANAGED *node;
typedef union {
  node reference;
  uint64_t bits;
} word;
struct node {
  const struct spgc_type *type;
  node next;
  long number;
};
typedef struct words SPGC_MANAGED *words;
struct words {
  const struct spgc_type *type;
  uint64_t length;
  word at[];
};

static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, next));
static const struct spgc_type words_type = SPGC_ARRAY_TYPE(struct words, at, 0);

enum { NUMBER_AT = 16, PASSED = 5 };

__attribute__((noinline)) static node make(long number, node next) {
  node made = spgc_allocate(&node_type);
  made->number = number;
  made->next = next;
  return made;
}

/* Gives the list's length if no address is stale. */
__attribute__((noinline)) static long count(node list) {
  long count = 0;
  uintptr_t at;
  while ((at = (uintptr_t)list) != 0) {
    count += (uintptr_t)&list->number - at == NUMBER_AT;
    list = list->next;
  }
  return count;
}

static uintptr_t address(node object) {
  return (uintptr_t)object;
}

__attribute__((noinline)) static long count_by_function(node list) {
  long count = 0;
  for (uintptr_t at; (at = address(list)) != 0; list = list->next) {
    if (list->number < 0)
      continue;
    count += at == address(list);
    while (address(list) + 1 == 0)
      count--;
  }
  return count;
}

__attribute__((noinline)) static long count_by_tail_calls(node list, long count) {
  uintptr_t at = (uintptr_t)list;
  if (at == 0)
    return count;
  return count_by_tail_calls(list->next, count + ((uintptr_t)&list->number - at == NUMBER_AT));
}

/* The cycle has two entries. */
__attribute__((noinline)) static long count_from_inside(node list, long from_inside) {
  long count = 0;
  uintptr_t at = 0;
  if (from_inside)
    goto inside;
  while ((at = (uintptr_t)list) != 0) {
    count += (uintptr_t)&list->number - at == NUMBER_AT;
  inside:
    count += from_inside && at == 0;
    list = list->next;
  }
  return count;
}

static uintptr_t (*const addresses[])(node) = {address};

__attribute__((noinline)) static long count_by_table(node list) {
  long count = 0;
  for (uintptr_t at; (at = addresses[0](list)) != 0; list = list->next)
    count += (uintptr_t)&list->number - at == NUMBER_AT;
  return count;
}

static long odd(node object, long rounds, long sum);

/* Each becomes a part of the other. */
__attribute__((noinline)) static long even(node object, long rounds, long sum) {
  uintptr_t at = (uintptr_t)object;
  return rounds == 0
             ? sum
             : odd(object, rounds - 1, sum + ((uintptr_t)&object->number - at == NUMBER_AT));
}

static long odd(node object, long rounds, long sum) {
  uintptr_t at = (uintptr_t)object;
  return rounds == 0
             ? sum
             : even(object, rounds - 1, sum + ((uintptr_t)&object->number - at == NUMBER_AT));
}

/* `is_odd` becomes a loop of its own. */
__attribute__((noinline)) static long by_states(node object, long rounds, bool is_odd) {
  long sum = 0, state = 0;
  for (long i = 0;; i++) {
    uintptr_t at = (uintptr_t)object;
    if (i == rounds)
      return sum;
    switch (state) {
    case 0:
      sum += (uintptr_t)&object->next - at == sizeof(void *);
      state = 1;
      if (is_odd)
        continue;
      break;
    case 1:
      sum += (uintptr_t)&object->number - at == NUMBER_AT;
      state = 2;
      break;
    default: sum += at == (uintptr_t)object; state = object->number & 1;
    }
  }
}

SPGC_LEAF __attribute__((noinline)) static void tell(node object, uintptr_t *address) {
  *address = (uintptr_t)object;
}

SPGC_LEAF static const long *place(node object) {
  return (const long *)(uintptr_t)&object->number;
}

/* A leaf returns an ordinary pointer to the address. */
__attribute__((noinline)) static long told(node object, long rounds) {
  long sum = 0;
  uintptr_t at;
  const long *number;
  for (long i = 0; tell(object, &at), number = place(object), i < rounds; i++)
    sum += *number == object->number && (uintptr_t)number - at == NUMBER_AT;
  return sum;
}

__attribute__((noinline)) static long copy_words(words to, words from) {
  long copied = 0;
  for (uint64_t bits; (bits = from->at[copied].bits) != 0; copied++)
    to->at[copied].bits = bits;
  return copied;
}

static long copied(long n) {
  words from = spgc_allocate_array(&words_type, (uint64_t)n + 1);
  words to = spgc_allocate_array(&words_type, (uint64_t)n + 1);
  for (long i = 0; i < n; i++)
    from->at[i].reference = make(i, NULL);
  long count = copy_words(to, from), same = 0;
  make(0, NULL);
  for (long i = 0; i < count; i++)
    same += to->at[i].reference->number == i;
  return same;
}

struct nodes {
  node at[PASSED];
};

__attribute__((noinline)) static long sum(struct nodes nodes) {
  long sum = 0;
  for (int i = 0; i < PASSED; i++)
    sum += nodes.at[i]->number * make(1, NULL)->number;
  return sum;
}

__attribute__((noinline)) static long sum_below(struct nodes nodes, long depth) {
  make(0, NULL);
  return depth == 0 ? sum(nodes) : sum_below(nodes, depth - 1);
}

/* Too large to be unrolled. */
__attribute__((noinline)) static long turned_sum_below(struct nodes nodes, long depth) {
  static volatile long a, b, c, d;
  a = b + c * d, b = c + d, c = a + b * d, d = a - b;
  make(0, NULL);
  if (depth == 0)
    return sum(nodes);
  node first = nodes.at[0];
  for (int i = 1; i < PASSED; i++)
    nodes.at[i - 1] = nodes.at[i];
  nodes.at[PASSED - 1] = first;
  return turned_sum_below(nodes, depth - 1);
}

long managed_run(long n) {
  node list = NULL;
  for (long i = 0; i < n; i++)
    list = make(i, list);
  long total = count(list) + count_by_function(list) + count_by_tail_calls(list, 0) +
               count_from_inside(list, 0) + count_from_inside(list, 1) + copied(n) +
               count_by_table(list) + even(list, n, 0) + by_states(list, n, true) +
               by_states(list, n, false) + told(list, n);
  struct nodes nodes;
  for (int i = 0; i < PASSED; i++)
    nodes.at[i] = make(i, NULL);
  return total + sum_below(nodes, n) + turned_sum_below(nodes, n); /* at: 'managed_run' */
}
