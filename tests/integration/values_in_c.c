/* A runtime in C for managed_c/value.c. */
#include "spgc/value.h"

spgc_value value_doubled(spgc_value value);
long value_kind(spgc_value value);

spgc_value value_doubled(spgc_value value) {
  if (spgc_value_is_integer(value))
    return spgc_value_from_integer(2 * spgc_value_integer(value));
  if (spgc_value_is_object(value))
    return spgc_value_from_ref(spgc_value_ref(value));
  return spgc_value_is_double(value) ? spgc_value_from_double(2 * spgc_value_double(value)) : value;
}

/* By `enum kind` there. */
long value_kind(spgc_value value) {
  if (spgc_ref_is_null(spgc_value_ref(value)))
    return 0;
  return spgc_value_is_object(value)     ? 1
         : spgc_value_is_integer(value)  ? 2
         : spgc_value_is_double(value)   ? 3
         : spgc_value_is_constant(value) ? 4
                                         : -1;
}
