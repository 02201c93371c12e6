/* Words that are a reference or a number (spgc/value.h), and a runtime in C. */
#include "spgc/managed.h"

#include "spgc/value.h"

#define NOINLINE __attribute__((noinline)) static

struct cell {
  const struct spgc_type *type;
  spgc_value value, next;
};
typedef struct cell SPGC_MANAGED *cell;

struct list {
  const struct spgc_type *type;
  uint64_t length;
  spgc_value at[];
};
typedef struct list SPGC_MANAGED *list;

struct named {
  long name;
  spgc_value value;
};

static const struct spgc_type cell_type =
    SPGC_OBJECT_TYPE(struct cell, SPGC_OFFSET(struct cell, value), SPGC_OFFSET(struct cell, next));
static const struct spgc_type list_type = SPGC_ARRAY_TYPE(struct list, at, 0);

static spgc_value root, roots[4];

spgc_value value_doubled(spgc_value value);
SPGC_LEAF long value_kind(spgc_value value);

enum kind { NULL_KIND, OBJECT, INTEGER, DOUBLE, CONSTANT };

NOINLINE spgc_value cons(spgc_value value, spgc_value next) {
  cell made = spgc_allocate(&cell_type);
  made->value = value;
  made->next = next;
  return (spgc_value)made;
}

NOINLINE spgc_value make(long i) {
  switch (i % 5) {
  case NULL_KIND: return NULL;
  case OBJECT: return cons(spgc_value_from_integer(i), spgc_value_from_constant(1));
  case INTEGER: return spgc_value_from_integer(i & 8 ? -i : i);
  case DOUBLE: return spgc_value_from_double((double)i + 0.5);
  default: return spgc_value_from_constant((uint64_t)i);
  }
}

static long kind_of(spgc_value value) {
  long kind = spgc_value_is_object(value)     ? OBJECT
              : spgc_value_is_integer(value)  ? INTEGER
              : spgc_value_is_double(value)   ? DOUBLE
              : spgc_value_is_constant(value) ? CONSTANT
                                              : NULL_KIND;
  return kind == value_kind(value) ? kind : -1;
}

NOINLINE long number_in(spgc_value value) {
  make(1);
  switch (kind_of(value)) {
  case NULL_KIND: return 1;
  case OBJECT: return number_in(((cell)value)->value) + 10;
  case INTEGER: return spgc_value_integer(value);
  case DOUBLE: return (long)(spgc_value_double(value) * 2);
  case CONSTANT: return (long)spgc_value_constant(value);
  default: return -1000000;
  }
}

static long expected(long i) {
  static const long of_null = 1;
  switch (i % 5) {
  case NULL_KIND: return of_null;
  case OBJECT: return i + 10;
  case INTEGER: return i & 8 ? -i : i;
  case DOUBLE: return i * 2 + 1;
  default: return i;
  }
}

NOINLINE long in_objects(long i) {
  list values = spgc_allocate_array(&list_type, 5);
  for (int k = 0; k < 5; k++)
    values->at[k] = make(i + k);
  cell both = (cell)cons(make(i), values->at[1]);
  make(1);
  long wrong = number_in(both->value) != expected(i) || number_in(both->next) != expected(i + 1);
  for (int k = 0; k < 5; k++)
    wrong += number_in(values->at[k]) != expected(i + k);
  return wrong;
}

static void change(spgc_value *place, long i) {
  *place = make(i);
}

NOINLINE long in_variables(long i) {
  spgc_value value = make(i), values[3] = {make(i), make(i + 1), make(i + 2)};
  struct named named = {i, make(i + 3)};
  spgc_value copy = value;
  change(&value, i + 1);
  change(&values[i % 3], i);
  make(1);
  return (number_in(value) != expected(i + 1)) + (number_in(copy) != expected(i)) +
         (number_in(values[i % 3]) != expected(i)) +
         (number_in(named.value) != expected(named.name + 3));
}

NOINLINE long in_roots(long i) {
  root = make(i);
  for (int k = 0; k < 4; k++)
    roots[k] = make(i + k);
  make(1);
  long wrong = number_in(root) != expected(i);
  for (int k = 0; k < 4; k++)
    wrong += number_in(roots[k]) != expected(i + k);
  return wrong;
}

NOINLINE long same(long i) {
  spgc_value object = make(5 * i + 1), again = object, other = make(5 * i + 1);
  make(1);
  return !spgc_value_equal(object, again) + spgc_value_equal(object, other) +
         !spgc_value_equal(make(5 * i + 3), make(5 * i + 3));
}

NOINLINE long in_c(long i) {
  spgc_value value = make(i), doubled = value_doubled(value);
  return (kind_of(value) == INTEGER || kind_of(value) == DOUBLE)
             ? number_in(doubled) != 2 * expected(i)
             : !spgc_value_equal(value, doubled);
}

NOINLINE long edges(void) {
  static const int64_t integers[] = {0, 1, -1, (INT64_C(1) << 47) - 1, -(INT64_C(1) << 47)};
  static const double doubles[] = {0.0,
                                   -0.0,
                                   4.9e-324,
                                   -4.9e-324,
                                   1.7976931348623157e308,
                                   -1.7976931348623157e308,
                                   __builtin_inf(),
                                   -__builtin_inf()};
  static const uint64_t constants[] = {0, 1, (UINT64_C(1) << 43) - 1};
  long wrong = 0;
  for (int i = 0; i < 5; i++) {
    spgc_value value = spgc_value_from_integer(integers[i]);
    wrong += kind_of(value) != INTEGER || spgc_value_integer(value) != integers[i];
  }
  for (int i = 0; i < 8; i++) {
    spgc_value value = spgc_value_from_double(doubles[i]);
    double read = spgc_value_double(value);
    wrong += kind_of(value) != DOUBLE || __builtin_memcmp(&read, &doubles[i], sizeof read) != 0;
  }
  for (int i = 0; i < 3; i++) {
    spgc_value value = spgc_value_from_constant(constants[i]);
    wrong += kind_of(value) != CONSTANT || spgc_value_constant(value) != constants[i];
  }
  spgc_value nan = spgc_value_from_double(-__builtin_nan("1")), wide = NULL;
  double read = spgc_value_double(nan);
  wide = spgc_value_from_integer(-(INT64_C(1) << 62));
  return wrong + (kind_of(nan) != DOUBLE) + (read == read) +
         (spgc_value_integer(wide) != -(INT64_C(1) << 62)) + !spgc_value_is_tagged(wide);
}

long managed_run(long n) {
  long wrong = edges();
  for (long i = 0; i < n; i++)
    wrong += in_objects(i) + in_variables(i) + in_roots(i) + same(i) + in_c(i);
  return n + wrong * 1000000;
}
