/* refused: a word that is declared as a reference is read or written as a number */
/* A union of a reference and numbers, in objects, local variables, parameters and an interpreter's
 * stack. */
#include "spgc/managed.h"

struct value {
  long tag;
  union {
    struct object SPGC_MANAGED *object;
    long number;
    double real;
  };
};

enum { NUMBER, OBJECT, REAL };

struct object {
  const struct spgc_type *type;
  struct value value;
};

static const uint32_t object_references[] = {SPGC_OFFSET(struct object, value.object)};
static const struct spgc_type object_type = {.size = sizeof(struct object),
                                             .reference_count = 1,
                                             .reference_offsets = object_references,
                                             .name = "object"};

static struct value stack[64];
static struct value *top = stack;

static struct value object_make(struct value value) {
  struct object SPGC_MANAGED *object = spgc_allocate(&object_type);
  object->value = value;
  return (struct value){OBJECT, {.object = object}};
}

__attribute__((noinline)) static void push(struct value value) {
  *top++ = value;
}

__attribute__((noinline)) static struct value pop(void) {
  return *--top;
}

static struct value number(long n) {
  return (struct value){NUMBER, {.number = n}};
}

static long look(struct object SPGC_MANAGED *from, struct object SPGC_MANAGED *to) {
  struct value value = from->value;
  long sum = 0;
  if (value.tag == NUMBER)
    sum = value.number;
  else if (value.tag == REAL)
    sum = (long)value.real;
  object_make(number(1));
  to->value = value;
  if (value.tag == OBJECT)
    sum = value.object->value.number;
  return sum;
}

long managed_run(long n) {
  long sum = 0;
  for (long i = 0; i < n; i++) {
    struct value inner = object_make(number(i));
    push(inner);
    push(object_make(inner));
    push(object_make((struct value){REAL, {.real = (double)i}})); /* at: 'managed_run' */
    push(object_make(number(2)));
    for (int k = 0; k < 3; k++) {
      struct value popped = pop(), copy = object_make(number(0));
      sum += look(popped.object, copy.object);
      sum += copy.object->value.tag == popped.object->value.tag ? 0 : -1000000;
    }
    sum += pop().object->value.number == i ? 1 : -1000000;
  }
  return sum;
}
