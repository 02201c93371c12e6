/* Local variables with references that stay in memory. */
#include "spgc/managed.h"

#define NOINLINE __attribute__((noinline))

struct node {
  const struct spgc_type *type;
  struct node SPGC_MANAGED *next;
  long value;
};

typedef struct node SPGC_MANAGED *node;

static const uint32_t references[] = {SPGC_OFFSET(struct node, next)};
static const struct spgc_type node_type = {.size = sizeof(struct node),
                                           .reference_count = 1,
                                           .reference_offsets = references,
                                           .name = "node"};

static NOINLINE node make(long value, node next) {
  node made = spgc_allocate(&node_type);
  made->value = value;
  made->next = next;
  return made;
}

static NOINLINE void churn(void) {
  make(1, make(2, (node)0));
}

static NOINLINE long make_into(node *out, long value) {
  churn();
  *out = make(value, *out);
  churn();
  return value;
}

static long out_parameters(long n) {
  node list = (node)0;
  long sum = 0;
  for (long i = 0; i < n; i++)
    sum += make_into(&list, i);
  churn();
  for (node at = list; at != (node)0; at = at->next)
    sum -= at->value;
  return sum + list->value;
}

static NOINLINE void swap(node *a, node *b) {
  node kept = *a;
  churn();
  *a = *b;
  *b = kept;
}

static long swaps(long n) {
  node a = make(1, (node)0), b = make(20, (node)0);
  for (long i = 0; i < n; i++)
    swap(&a, &b);
  churn();
  return a->value - b->value;
}

enum { ROWS = 7 };

static long local_array(long n) {
  node rows[ROWS];
  for (long i = 0; i < ROWS; i++)
    rows[i] = make(i, (node)0);
  for (long i = 0; i < n; i++) {
    long to = i * 3 % ROWS;
    rows[to] = make(i, rows[(to + i) % ROWS]);
    rows[to]->next = (node)0;
  }
  long sum = 0;
  for (long i = 0; i < ROWS; i++) {
    churn();
    sum = sum * 3 + rows[i]->value;
  }
  return sum;
}

struct pair {
  long weight;
  node of;
};

struct triple {
  node first;
  long count;
  node second, third;
};

static long local_structures(long n) {
  struct pair pairs[3];
  for (long i = 0; i < 3; i++)
    pairs[i] = (struct pair){i + 1, make(10 + i, (node)0)};
  for (long i = 0; i < n; i++) {
    struct pair kept = pairs[i % 3];
    churn();
    pairs[i % 3] = pairs[(i + 1) % 3];
    pairs[(i + 1) % 3] = kept;
  }
  churn();
  long sum = 0;
  for (long i = 0; i < 3; i++)
    sum = sum * 5 + pairs[i].weight * pairs[i].of->value;
  return sum;
}

static NOINLINE struct triple triple_of(long value) {
  struct triple made = {make(value, (node)0), value, (node)0, (node)0};
  churn();
  made.second = make(value + 1, made.first);
  churn();
  made.third = make(value + 2, made.second);
  return made;
}

static NOINLINE long triple_sum(const struct triple *given) {
  struct triple triple = *given;
  churn();
  triple.second = make(triple.second->value, triple.third);
  churn();
  return triple.first->value + triple.count + triple.second->value + triple.second->next->value +
         triple.third->next->value;
}

static NOINLINE struct pair pair_of(long value) {
  return (struct pair){value, make(value, (node)0)};
}

static NOINLINE long pair_sum(struct pair pair) {
  churn();
  return pair.weight + pair.of->value;
}

static long by_value(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    struct triple triple = triple_of(i);
    churn();
    sum += triple_sum(&triple) + triple.first->value;
    sum += pair_sum(pair_of(i));
  }
  return sum;
}

/* An index stays in its array. The numbers look like addresses once. */
struct row {
  long first;
  node at[3];
  long count;
  node more[2][2];
  long last;
};

static NOINLINE void fill_row(struct row *row, long number) {
  node decoy = make(number, (node)0);
  row->first = row->count = row->last = ((long)decoy >> 3 << 3) + 8; /* kept through shifts only */
  churn();
}

static long row_sum(struct row *row, long first) {
  return row->first == first && row->count == first && row->last == first;
}

static NOINLINE long array_in_structure(long n) {
  struct row row;
  fill_row(&row, 1);
  long first = row.first, sum = 0;
  for (long i = 0; i < 3; i++)
    row.at[i] = make(i, (node)0);
  for (long i = 0; i < 4; i++)
    row.more[i / 2][i % 2] = make(i, (node)0);
  for (long i = 0; i < n; i++) {
    long to = (i * 2 + 1) % 3;
    row.at[to] = make(row.at[i % 3]->value + 1, (node)0);
    row.more[i & 1][to & 1] = make(i, (node)0);
    sum += row.at[(to + 1) % 3]->value + row.more[to & 1][i & 1]->value;
    sum += row.first == first && row.count == first && row.last == first;
  }
  return sum;
}

static NOINLINE long arrays_in_structures(long n) {
  struct row rows[3];
  for (long k = 0; k < 3; k++) {
    rows[k].first = rows[k].count = rows[k].last = k;
    for (long i = 0; i < 3; i++)
      rows[k].at[i] = make(i, (node)0);
    for (long i = 0; i < 4; i++)
      rows[k].more[i / 2][i % 2] = make(i, (node)0);
  }
  long sum = 0;
  for (long i = 0; i < n; i++) {
    struct row *row = &rows[i % 3];
    churn();
    sum += row->at[(i + 1) % 3]->value + row->more[i & 1][i / 2 & 1]->value + row->first;
    rows[(i + 1) % 3].at[i % 3] = make(i, (node)0);
    sum += row_sum(&rows[i % 3], i % 3);
  }
  return sum;
}

static NOINLINE long array_by_pointer(long n) {
  struct row row;
  row.first = row.count = row.last = 1;
  node *at = row.at, *more = &row.more[0][0];
  for (long i = 0; i < 3; i++)
    at[i] = make(i, (node)0);
  for (long i = 0; i < 4; i++)
    more[i] = make(i, (node)0);
  long sum = 0;
  for (long i = 0; i < n; i++) {
    churn();
    sum += at[i % 3]->value + more[i & 3]->value + row.at[(i + 1) % 3]->value + row.count;
    at[(i + 2) % 3] = make(i, (node)0);
  }
  return sum + row.first + row.last;
}

static long rows(long n) {
  return array_in_structure(n) + arrays_in_structures(n) * 3 + array_by_pointer(n) * 7;
}

struct iterator {
  node at;
  long left;
};

static NOINLINE int advance(struct iterator *iterator) {
  churn();
  if (iterator->at == (node)0 || iterator->left-- == 0)
    return 0;
  iterator->at = iterator->at->next;
  return iterator->at != (node)0;
}

static long iterators(long n) {
  node list = (node)0;
  for (long i = 0; i < n; i++)
    list = make(i, list);
  long sum = 0;
  for (struct iterator iterator = {list, n}; advance(&iterator);)
    sum += iterator.at->value;
  return sum;
}

/* Inlined, so its interior pointers are promoted at every level. */
struct numbers {
  const struct spgc_type *type;
  uint64_t length;
  long at[];
};

static const struct spgc_type numbers_type = {.size = sizeof(struct numbers),
                                              .element_size = sizeof(long),
                                              .flags = SPGC_TYPE_TAIL,
                                              .name = "numbers"};

struct cursor {
  long SPGC_MANAGED *at;
  long SPGC_MANAGED *end;
};

static inline __attribute__((always_inline)) int cursor_next(struct cursor *cursor, long *value) {
  if (cursor->at == cursor->end)
    return 0;
  *value = *cursor->at++;
  return 1;
}

static long cursors(long n) {
  struct numbers SPGC_MANAGED *numbers = spgc_allocate_array(&numbers_type, (uint64_t)n);
  for (long i = 0; i < n; i++)
    numbers->at[i] = i;
  struct cursor cursor = {numbers->at, numbers->at + n};
  long sum = 0, value;
  while (cursor_next(&cursor, &value)) {
    churn();
    sum += value;
  }
  return sum;
}

/* Frames wait while callees of any depth store into their variables. */
static NOINLINE long deep(node *outermost, node *outer, long depth) {
  node mine = make(depth, (node)0);
  if (depth == 0)
    return (*outermost)->value;
  *outer = make(depth, (node)0);
  long below = deep(outermost, &mine, depth - 1);
  *outermost = make(below + mine->value, *outer);
  churn();
  return (*outermost)->value + (*outer)->value - depth;
}

static long deep_variables(long n) {
  node outermost = make(7, (node)0), outer = make(0, (node)0);
  long sum = deep(&outermost, &outer, n);
  churn();
  return sum + outermost->value + outer->value;
}

union word {
  node reference;
  long number;
};

static NOINLINE void fill(union word *word, long value) {
  word->reference = make(value, (node)0);
  churn();
}

static void (*volatile filler)(union word *, long) = fill;

static long odd_ones(long n) {
  volatile node kept = make(3, (node)0);
  union word one, other;
  long sum = 0;
  for (long i = 0; i < n; i++) {
    filler(&one, i);
    filler(&other, -i);
    churn();
    node *chosen = i % 3 == 0 ? &one.reference : &other.reference;
    churn();
    sum += (*chosen)->value + kept->value;
    kept = make(kept->value, (node)0);
  }
  return sum;
}

long managed_run(long n) {
  long sum = 0;
  sum = sum * 31 + out_parameters(n);
  sum = sum * 31 + swaps(n);
  sum = sum * 31 + local_array(n);
  sum = sum * 31 + local_structures(n);
  sum = sum * 31 + by_value(n);
  sum = sum * 31 + iterators(n);
  sum = sum * 31 + cursors(n);
  sum = sum * 31 + deep_variables(n);
  sum = sum * 31 + odd_ones(n);
  sum = sum * 31 + rows(n);
  return sum;
}
