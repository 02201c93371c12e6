/* The moving collector, for managed C. Include it before other headers. */
#ifndef BENCH_WORKLOADS_MEMORY_MANAGED_H
#define BENCH_WORKLOADS_MEMORY_MANAGED_H

#include "spgc/managed.h"

#define REFERENCE SPGC_MANAGED
#define OBJECT_HEADER const struct spgc_type *type;
#define ARRAY_HEADER                                                                               \
  const struct spgc_type *type;                                                                    \
  uint64_t length;

enum { MEMORY_IS_EXPLICIT = 0 };

#define DESCRIBE_OBJECT(object, ...)                                                               \
  static const struct spgc_type object##_type =                                                    \
      SPGC_OBJECT_TYPE(struct object, OFFSETS_OF(object, __VA_ARGS__))
#define DESCRIBE_DATA_ARRAY(array)                                                                 \
  static const struct spgc_type array##_type = SPGC_DATA_ARRAY_TYPE(struct array, items)
#define DESCRIBE_REFERENCE_ARRAY(array)                                                            \
  static const struct spgc_type array##_type = SPGC_ARRAY_TYPE(struct array, items, 0)

/* The offsets of one, two or three fields. */
#define OFFSETS_OF(object, ...)                                                                    \
  OFFSETS_CHOOSE(__VA_ARGS__, OFFSETS_3, OFFSETS_2, OFFSETS_1, )(object, __VA_ARGS__)
#define OFFSETS_CHOOSE(first, second, third, chosen, ...) chosen
#define OFFSETS_1(object, first) SPGC_OFFSET(struct object, first)
#define OFFSETS_2(object, first, second) OFFSETS_1(object, first), OFFSETS_1(object, second)
#define OFFSETS_3(object, first, second, third)                                                    \
  OFFSETS_2(object, first, second), OFFSETS_1(object, third)

#define NEW(name) ((struct name REFERENCE *)spgc_allocate(&name##_type))
#define NEW_DATA_ARRAY(name, length)                                                               \
  ((struct name REFERENCE *)spgc_allocate_array(&name##_type, (length)))
#define NEW_REFERENCE_ARRAY(name, length) NEW_DATA_ARRAY(name, length)
#define DROP(object) ((void)(object))

#endif
