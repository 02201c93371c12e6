/* refused: a word that is declared as a reference is read or written as a number */
/* An interpreter's value stack: tagged unions in a global array and a local one, which small
 * functions take and return, or point to. */
#include <string.h>

#include "spgc/managed.h"

struct node;
typedef struct node SPGC_MANAGED *node;

struct value {
  long is_object;
  union {
    node object;
    double number;
  } as;
};

struct node {
  const struct spgc_type *type;
  node next;
  long number;
};

static const struct spgc_type node_type =
    SPGC_OBJECT_TYPE(struct node, SPGC_OFFSET(struct node, next));

enum { DEPTH = 16, ROOM = 24, FACTOR = 31, MODULUS = 1000003 };

static struct value stack[ROOM];
static int top;

__attribute__((noinline)) static node make(long number) {
  node made = spgc_allocate(&node_type);
  made->number = number;
  return made;
}

static struct value number(double number) {
  struct value value = {.is_object = 0};
  value.as.number = number; /* at: 'value' */
  return value;
}

static struct value object(node object) {
  struct value value = {.is_object = 1};
  value.as.object = object;
  return value;
}

static void push(struct value value) {
  stack[top++] = value;
}

static struct value pop(void) {
  return stack[--top];
}

static void duplicate(int index) {
  stack[top] = stack[index];
  top++;
}

static void swap(struct value *a, struct value *b) {
  struct value kept = *a;
  *a = *b;
  *b = kept;
}

static void reverse(struct value *values, int count) {
  for (int i = 0; i < count / 2; i++)
    swap(&values[i], &values[count - 1 - i]);
}

static long read(const struct value *value) {
  return value->is_object ? value->as.object->number : (long)value->as.number;
}

static long sum(const struct value *values, int count) {
  long sum = 0;
  for (int i = 0; i < count; i++)
    sum += (i + 1) * read(&values[i]);
  return sum;
}

__attribute__((noinline)) static long run(long n) {
  struct value local[DEPTH];
  node kept = make(n);
  top = 0;
  for (long i = 0; i < DEPTH; i++)
    push(i % 2 == 0 ? object(make(n + i)) : number((double)(n * i)));
  reverse(stack, top);
  memcpy(local, stack, sizeof local);
  make(1);
  reverse(local, DEPTH);
  duplicate(3);
  duplicate(4);
  make(2);
  struct value last = pop(), before = pop();
  make(3);
  swap(&last, &before);
  make(4);
  return kept->number + sum(local, DEPTH) * FACTOR + sum(stack, DEPTH) + read(&last) * 3 +
         read(&before) * 7;
}

long managed_run(long n) {
  long result = 0;
  for (long i = 0; i < n; i++)
    result = (result * FACTOR + run(i)) % MODULUS;
  return result;
}
