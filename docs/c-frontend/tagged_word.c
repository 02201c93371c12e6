/* An interpreter's value as a tagged word: an integer with bit 0 set, or a reference. */
#include "spgc/managed.h"

#include <stdio.h>

#include "spgc/main.h"
#include "spgc/value.h"

struct pair {
  const struct spgc_type *type;
  spgc_value first, rest; /* an integer, a pair, or null */
};
typedef struct pair SPGC_MANAGED *pair;

static const struct spgc_type pair_type =
    SPGC_OBJECT_TYPE(struct pair, SPGC_OFFSET(struct pair, first), SPGC_OFFSET(struct pair, rest));

static spgc_value cons(spgc_value first, spgc_value rest) {
  pair made = spgc_allocate(&pair_type);
  made->first = first;
  made->rest = rest;
  return (spgc_value)made;
}

/* A language without doubles asks for the tag alone, and has integers of 63 bits. */
static spgc_value add(spgc_value a, spgc_value b) {
  if (spgc_value_is_tagged(a) && spgc_value_is_tagged(b))
    return spgc_value_from_integer(spgc_value_integer(a) + spgc_value_integer(b));
  return spgc_value_from_integer(0);
}

static spgc_value sum(spgc_value list) {
  spgc_value total = spgc_value_from_integer(0);
  while (spgc_value_is_object(list)) {
    pair at = (pair)list;
    total = add(total, spgc_value_is_object(at->first) ? sum(at->first) : at->first);
    list = at->rest;
  }
  return total;
}

static void program(void *result) {
  spgc_value list = NULL;
  for (long i = 1; i <= 100; i++)
    list = cons(spgc_value_from_integer(i << 40), list);
  list = cons(list, cons(spgc_value_from_integer(-1), list));
  *(long *)result = spgc_value_integer(sum(list));
}

int main(void) {
  long result;
  if (spgc_main(NULL, program, &result, NULL) != SPGC_OK)
    return 1;
  printf("%ld\n", result);
  return result != (10100L << 40) - 1;
}
