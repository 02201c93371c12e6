/* refused: a word that is declared as a reference is read or written as a number */
/* Words read and written several at a time, as vectors and wide integers. */
#include <string.h>

#include "spgc/managed.h"

#define NOINLINE __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))

struct node;
typedef struct node SPGC_MANAGED *node;

typedef union {
  node ref;
  uint64_t bits;
  double real;
} word;

struct two {
  word first, second;
};

struct four {
  word first;
  long number;
  word second, third;
};

struct node {
  const struct spgc_type *type;
  struct two words;
  long number;
};

static const struct spgc_type node_type = SPGC_OBJECT_TYPE(
    struct node, SPGC_OFFSET(struct node, words.first), SPGC_OFFSET(struct node, words.second));

typedef uint64_t integers __attribute__((vector_size(16), aligned(8), may_alias));
typedef double reals __attribute__((vector_size(16), aligned(8), may_alias));
typedef uint32_t halves __attribute__((vector_size(16), aligned(8), may_alias));
typedef uint64_t four_integers __attribute__((vector_size(32), aligned(8), may_alias));
typedef unsigned __int128 wide __attribute__((aligned(8), may_alias));

static struct two global;

static NOINLINE node make(long number) {
  node made = spgc_allocate(&node_type);
  made->number = number;
  return made;
}

/* The address lets others change the words. */
static NOINLINE void touch(struct two *words) {
  if (words->first.ref == 0)
    words->second.ref = 0;
}

static NOINLINE void touch_four(struct four *words) {
  if (words->number == -1)
    words->second.ref = 0;
}

static NOINLINE long sum(const struct two *words) {
  make(3);
  return words->first.ref->number * 3 + words->second.ref->number;
}

static void copy_as_integers(struct two *to, const struct two *from) {
  *(integers *)to = *(const integers *)from;
}

static void copy_as_reals(struct two *to, const struct two *from) {
  *(reals *)to = *(const reals *)from;
}

static void copy_as_halves(struct two *to, const struct two *from) {
  *(halves *)to = *(const halves *)from;
}

static void copy_as_wide(struct two *to, const struct two *from) {
  *(wide *)to = *(const wide *)from;
}

static void copy_as_volatile(struct two *to, const struct two *from) {
  *(volatile wide *)to = *(const volatile wide *)from;
}

static void copy_word(struct two *to, const struct two *from, long at) {
  ((uint64_t *)to)[at] = ((const uint64_t *)from)[at];
}

static void copy_volatile_word(struct two *to, const struct two *from, long at) {
  ((volatile uint64_t *)to)[at] = ((const volatile uint64_t *)from)[at];
}

INLINE void copy_inlined(struct two *to, const struct two *from) {
  *(integers *)to = *(const integers *)from; /* at: 'from' */
}

static NOINLINE void copy_called(struct two *to, const struct two *from) {
  *(wide *)to = *(const wide *)from;
}

#define COPIES_BY(copy)                                                                            \
  static NOINLINE long by_##copy(node a, node b) {                                                 \
    struct two from = {{a}, {b}}, to = {{b}, {b}};                                                 \
    touch(&from);                                                                                  \
    touch(&to);                                                                                    \
    copy(&to, &from);                                                                              \
    long result = sum(&to);                                                                        \
    copy(&global, &to);                                                                            \
    make(4);                                                                                       \
    copy(&from, &global);                                                                          \
    return result + sum(&from);                                                                    \
  }

COPIES_BY(copy_as_integers)
COPIES_BY(copy_as_reals)
COPIES_BY(copy_as_halves)
COPIES_BY(copy_as_wide)
COPIES_BY(copy_inlined)
COPIES_BY(copy_called)

COPIES_BY(copy_as_volatile)

#define COPIES_WORDS_BY(copy)                                                                      \
  static NOINLINE long by_##copy(node a, node b, long n) {                                         \
    struct two from = {{a}, {b}}, to = {{b}, {b}};                                                 \
    touch(&from);                                                                                  \
    touch(&to);                                                                                    \
    copy(&to, &from, n & 1);                                                                       \
    make(5);                                                                                       \
    copy(&to, &from, 1 - (n & 1));                                                                 \
    return sum(&to);                                                                               \
  }

COPIES_WORDS_BY(copy_word)
COPIES_WORDS_BY(copy_volatile_word)

static void copy_four(struct four *to, const struct four *from) {
  *(four_integers *)to = *(const four_integers *)from;
}

static NOINLINE long by_fours(node a, node b, long n) {
  struct four from = {{a}, n, {b}, {a}}, to = {{b}, 0, {b}, {b}};
  touch_four(&from);
  touch_four(&to);
  copy_four(&to, &from);
  make(3);
  return to.first.ref->number * 3 + to.number + to.second.ref->number * 5 + to.third.ref->number;
}

static int are_tagged(const struct two *words) {
  integers bits = *(const integers *)words;
  return ((bits[0] | bits[1]) & 1) != 0;
}

static NOINLINE long looked_at(node a, node b) {
  struct two words = {{a}, {b}};
  touch(&words);
  if (are_tagged(&words))
    return -1000000;
  long result = sum(&words);
  return are_tagged(&words) ? -1000000 : result;
}

static void set(struct two *words, uint64_t first, uint64_t second) {
  *(integers *)words = (integers){first, second};
}

static NOINLINE long set_to_numbers(node a, long n) {
  struct two words = {{a}, {a}};
  touch(&words);
  if (n & 1)
    set(&words, (uint64_t)n, (uint64_t)(2 * n + 1));
  touch(&words);
  make(3);
  return n & 1 ? (long)(words.first.bits + words.second.bits) : words.first.ref->number;
}

static NOINLINE long between_objects(node a, node b) {
  node from = make(1), to = make(2);
  from->words.first.ref = a;
  from->words.second.ref = b;
  *(integers SPGC_MANAGED *)&to->words = *(integers SPGC_MANAGED *)&from->words;
  make(3);
  struct two words = to->words;
  return sum(&words);
}

static NOINLINE long through_variable(node a, node b) {
  node to = make(2);
  struct two words = {{a}, {b}};
  touch(&words);
  *(wide SPGC_MANAGED *)&to->words = *(wide *)&words;
  make(3);
  *(wide *)&words = *(wide SPGC_MANAGED *)&to->words;
  return sum(&words);
}

/* Two words become one number in a variable, and then words of an old object. */
static NOINLINE void combine(node to, node from) {
  uint64_t words[2] = {from->words.first.bits, from->words.second.bits};
  wide both;
  memcpy(&both, words, sizeof both);
  *(wide SPGC_MANAGED *)&to->words = both;
}

static NOINLINE void exchange(node to, node from) {
  wide both = *(wide SPGC_MANAGED *)&from->words;
  to->words.first.bits = (uint64_t)(both >> 64);
  to->words.second.bits = (uint64_t)both;
}

static NOINLINE void untag(node to, node from) {
  integers both = *(integers SPGC_MANAGED *)&from->words;
  *(integers SPGC_MANAGED *)&to->words = both & ~(integers){7, 7};
}

static NOINLINE void choose(node to, node from) {
  uint64_t word = from->words.first.bits;
  to->words.second.bits = word & -(uint64_t)((word & 1) == 0);
  to->words.first.bits = from->words.second.bits;
}

static NOINLINE node pair(long first, long second) {
  node made = make(0), a = make(first);
  made->words.first.ref = a;
  made->words.second.ref = make(second);
  return made;
}

static NOINLINE long by(void (*copy)(node to, node from), long n) {
  node to = make(1);
  for (int i = 0; i < 3; i++)
    pair(1, 2);
  node from = pair(n, n + 5);
  copy(to, from);
  make(1);
  struct two words = to->words;
  return sum(&words);
}

static NOINLINE long between_old_and_young(long n) {
  return by(combine, n) + by(exchange, n) * 5 + by(untag, n) * 7 + by(choose, n) * 11;
}

long managed_run(long n) {
  long result = 0;
  for (long i = 0; i < n; i++) {
    node a = make(i), b = make(i + 1);
    result += by_copy_as_integers(a, b) + by_copy_as_reals(a, b) + by_copy_as_halves(a, b);
    a = make(i);
    b = make(i + 1);
    result += by_copy_as_wide(a, b) + by_copy_inlined(a, b) + by_copy_called(a, b);
    a = make(i);
    b = make(i + 1);
    result += by_fours(a, b, i) + looked_at(a, b) + set_to_numbers(a, i);
    a = make(i);
    b = make(i + 1);
    result += between_objects(a, b) + through_variable(a, b);
    a = make(i);
    b = make(i + 1);
    result += by_copy_as_volatile(a, b) + by_copy_word(a, b, i) + by_copy_volatile_word(a, b, i);
    result += between_old_and_young(i);
  }
  return result;
}
