/* An interpreter with computed goto, whose position is a pointer. With PLAIN it is C without a
 * collector, to compare the code. */
#ifdef PLAIN
#define SPGC_MANAGED
#define SPGC_LEAF
struct spgc_type;
void *spgc_allocate(const struct spgc_type *type);
extern const struct spgc_type node_type;
#else
#include "spgc/managed.h"
#endif

#include <stdint.h>

struct node {
  const struct spgc_type *type;
  struct node SPGC_MANAGED *next;
  long number;
};
typedef struct node SPGC_MANAGED *node;

#ifndef PLAIN
static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, next));
#endif

enum { REGISTERS = 4 };

enum code {
  LOAD,
  MOVE,
  ADD,
  SUBTRACT,
  MULTIPLY,
  LESS,
  EQUAL,
  AND,
  XOR,
  NEGATE,
  INCREMENT,
  CONS,
  NEXT,
  NUMBER,
  SET_NUMBER,
  SWAP,
  CLEAR,
  IS_NULL,
  ROTATE,
  REVERSE,
  SKIP_IF,
  BACK,
  RETURN
};

SPGC_LEAF static long number_of(node from, long rank) {
  while (rank-- > 0)
    from = from->next;
  return from->number;
}

static int is_object(uintptr_t value) {
  return ((value - 1) & UINT64_C(0xFFFF000000000007)) == 7;
}

/* The first operand is a register of the list `a`, a number `n`; the second a register or a
 * byte. */
static long run(const uint8_t *at, long count) {
  static const void *const cases[] = {
      &&load,  &&move,    &&add,       &&subtract, &&multiply, &&less,   &&equal,      &&and,
      &&xor,   &&negate,  &&increment, &&cons,     &&next,     &&number, &&set_number, &&swap,
      &&clear, &&is_null, &&rotate,    &&reverse,  &&skip_if,  &&back,   &&ret};
  node a = (void SPGC_MANAGED *)0, b = (void SPGC_MANAGED *)0;
  long n[REGISTERS] = {count};
#define GO goto *cases[*at++]
  GO;
load:
  n[at[0] & 3] = at[1];
  at += 2;
  GO;
move:
  n[at[0] & 3] = n[at[1] & 3];
  at += 2;
  GO;
add:
  n[at[0] & 3] += n[at[1] & 3];
  at += 2;
  GO;
subtract:
  n[at[0] & 3] -= n[at[1] & 3];
  at += 2;
  GO;
multiply:
  n[at[0] & 3] = n[at[0] & 3] * n[at[1] & 3] % 1000003;
  at += 2;
  GO;
less:
  n[at[0] & 3] = n[at[0] & 3] < n[at[1] & 3];
  at += 2;
  GO;
equal:
  n[at[0] & 3] = n[at[0] & 3] == n[at[1] & 3];
  at += 2;
  GO;
  and : n[at[0] & 3] &= n[at[1] & 3];
  at += 2;
  GO;
  xor : n[at[0] & 3] ^= n[at[1] & 3];
  at += 2;
  GO;
negate:
  n[at[0] & 3] = -n[at[0] & 3];
  at++;
  GO;
increment:
  n[at[0] & 3]++;
  at++;
  GO;
cons: {
  node made = spgc_allocate(&node_type);
  made->next = a;
  made->number = n[at[0] & 3];
  a = made;
  at++;
  GO;
}
next:
  a = a->next;
  GO;
number:
  n[at[0] & 3] = number_of(a, at[0] >> 2);
  at++;
  GO;
set_number:
  a->number = n[at[0] & 3];
  at++;
  GO;
swap: {
  node kept = a;
  a = b;
  b = kept;
}
  GO;
clear:
  a = (void SPGC_MANAGED *)0;
  GO;
is_null: {
  uintptr_t address = (uintptr_t)a; /* used after the loop that `number_of` is */
  if (at[0] >> 2 != 0)
    n[0] = number_of(a, at[0] >> 2);
  n[at[0] & 3] = !is_object(address);
  at++;
  GO;
}
rotate:
  n[at[0] & 3] = (long)((unsigned long)n[at[0] & 3] << 1);
  at++;
  GO;
reverse: {
  node moved = a;
  a = moved->next;
  moved->next = b;
  b = moved;
  GO;
}
skip_if:
  at += n[at[0] & 3] != 0 ? 2 + at[1] : 2;
  GO;
back:
  at -= at[0] << 8 | at[1];
  GO;
ret:
  return n[at[0] & 3];
}

/* Reverses the list 1 to n, and sums numbers times ranks. */
static const uint8_t program[] = {
    LOAD,      1,       0,                                                /* 0 */
    INCREMENT, 1,       CONS,   1,                                        /* 3 */
    MOVE,      2,       0,      EQUAL,   2,        1, SKIP_IF, 2,   3,    /* 7 */
    BACK,      0,       14,                                               /* 16: to 3, from 17 */
    REVERSE,   IS_NULL, 2,      SKIP_IF, 2,        3,                     /* 19 */
    BACK,      0,       7,                                                /* 25: to 19, from 26 */
    SWAP,      LOAD,    1,      0,       LOAD,     3, 0,                  /* 28 */
    INCREMENT, 3,       NUMBER, 2,       MULTIPLY, 2, 3,       ADD, 1, 2, /* 35 */
    NEXT,      IS_NULL, 2,      SKIP_IF, 2,        3,                     /* 45 */
    BACK,      0,       17,                                               /* 51: to 35, from 52 */
    RETURN,    1,
};

long managed_run(long n) {
  return run(program, n);
}
