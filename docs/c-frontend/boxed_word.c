/* An interpreter's value as a NaN-boxed word: a double, a small integer, a constant, or a
 * reference. */
#include "spgc/managed.h"

#include <stdio.h>

#include "spgc/main.h"
#include "spgc/value.h"

enum { NIL, FALSE, TRUE }; /* constants */

struct list {
  const struct spgc_type *type;
  uint64_t length;
  spgc_value at[];
};
typedef struct list SPGC_MANAGED *list;

static const struct spgc_type list_type = SPGC_ARRAY_TYPE(struct list, at, 0);

static spgc_value list_make(uint64_t length) {
  list made = spgc_allocate_array(&list_type, length);
  for (uint64_t i = 0; i < length; i++)
    made->at[i] = spgc_value_from_constant(NIL);
  return (spgc_value)made;
}

static double number(spgc_value value) {
  if (spgc_value_is_double(value))
    return spgc_value_double(value);
  return spgc_value_is_integer(value) ? (double)spgc_value_integer(value) : 0;
}

static spgc_value add(spgc_value a, spgc_value b) {
  return spgc_value_from_double(number(a) + number(b));
}

static spgc_value sum(spgc_value value) {
  if (!spgc_value_is_object(value))
    return value;
  list of = (list)value;
  spgc_value total = spgc_value_from_integer(0);
  for (uint64_t i = 0; i < of->length; i++)
    total = add(total, sum(of->at[i]));
  return total;
}

static void program(void *result) {
  spgc_value outer = list_make(100);
  for (int i = 0; i < 98; i++) {
    spgc_value inner = list_make(2);
    ((list)inner)->at[0] = spgc_value_from_double(i + 0.5);
    ((list)outer)->at[i] = inner;
  }
  ((list)outer)->at[98] = spgc_value_from_integer(-7);
  ((list)outer)->at[99] = spgc_value_from_constant(TRUE);
  *(double *)result = spgc_value_double(sum(outer));
}

int main(void) {
  double result;
  if (spgc_main(NULL, program, &result, NULL) != SPGC_OK)
    return 1;
  printf("%.1f\n", result);
  return result != 97 * 98 / 2 + 98 * 0.5 - 7;
}
