/* An interpreter's value as a pointer to a box: each value is an object, whose descriptor says its
 * kind. A box of a number has no references. */
#include "spgc/managed.h"

#include <stdio.h>

#include "spgc/main.h"

struct value {
  const struct spgc_type *type;
};
typedef struct value SPGC_MANAGED *value;

struct number {
  const struct spgc_type *type;
  double number;
};

struct pair {
  const struct spgc_type *type;
  value first, rest;
};

static const struct spgc_type number_type = SPGC_DATA_TYPE(struct number);
static const struct spgc_type pair_type =
    SPGC_OBJECT_TYPE(struct pair, SPGC_OFFSET(struct pair, first), SPGC_OFFSET(struct pair, rest));

static value number_make(double number) {
  struct number SPGC_MANAGED *made = spgc_allocate(&number_type);
  made->number = number;
  return (value)made;
}

static value cons(value first, value rest) {
  struct pair SPGC_MANAGED *made = spgc_allocate(&pair_type);
  made->first = first;
  made->rest = rest;
  return (value)made;
}

static double sum(value of) {
  double total = 0;
  for (; of != NULL && of->type == &pair_type; of = ((struct pair SPGC_MANAGED *)of)->rest)
    total += sum(((struct pair SPGC_MANAGED *)of)->first);
  return of == NULL ? total : total + ((struct number SPGC_MANAGED *)of)->number;
}

static void program(void *result) {
  value list = NULL;
  for (int i = 1; i <= 100; i++)
    list = cons(number_make(i / 2.0), list);
  *(double *)result = sum(cons(list, list));
}

int main(void) {
  double result;
  if (spgc_main(NULL, program, &result, NULL) != SPGC_OK)
    return 1;
  printf("%.1f\n", result);
  return result != 5050;
}
