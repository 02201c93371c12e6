/* The moving collector. Compiled by clang to bitcode, then lowered: references are pointers in
 * address space 1. */
#ifndef BENCH_WORKLOADS_MEMORY_MANAGED_H
#define BENCH_WORKLOADS_MEMORY_MANAGED_H

#include <stddef.h>

#include "spgc/type.h"

#define REFERENCE __attribute__((address_space(1)))
#define OBJECT_HEADER const struct spgc_type *type;
#define ARRAY_HEADER                                                                               \
  const struct spgc_type *type;                                                                    \
  uint64_t length;

enum { MEMORY_IS_EXPLICIT = 0 };

/* As spgc/allocate.h has them, with the result as clang knows references. */
void REFERENCE *spgc_allocate(const struct spgc_type *type);
void REFERENCE *spgc_allocate_array(const struct spgc_type *type, uint64_t length);

#define DESCRIBE_OBJECT(object, ...)                                                               \
  static const uint32_t object##_references[] = {OFFSETS_OF(object, __VA_ARGS__)};                 \
  static const struct spgc_type object##_type = {.size = sizeof(struct object),                    \
                                                 .reference_count = sizeof object##_references /   \
                                                                    sizeof(uint32_t),              \
                                                 .reference_offsets = object##_references,         \
                                                 .name = #object}

/* The offsets of one, two or three fields. */
#define OFFSETS_OF(object, ...)                                                                    \
  OFFSETS_CHOOSE(__VA_ARGS__, OFFSETS_3, OFFSETS_2, OFFSETS_1, )(object, __VA_ARGS__)
#define OFFSETS_CHOOSE(first, second, third, chosen, ...) chosen
#define OFFSETS_1(object, first) (uint32_t)offsetof(struct object, first)
#define OFFSETS_2(object, first, second) OFFSETS_1(object, first), OFFSETS_1(object, second)
#define OFFSETS_3(object, first, second, third)                                                    \
  OFFSETS_2(object, first, second), OFFSETS_1(object, third)

#define DESCRIBE_DATA_ARRAY(array)                                                                 \
  static const struct spgc_type array##_type = {.size = sizeof(struct array),                      \
                                                .element_size =                                    \
                                                    sizeof *((struct array *)0)->items,            \
                                                .flags = SPGC_TYPE_TAIL,                           \
                                                .name = #array}
#define DESCRIBE_REFERENCE_ARRAY(array)                                                            \
  static const uint32_t array##_element[] = {0};                                                   \
  static const struct spgc_type array##_type = {.size = sizeof(struct array),                      \
                                                .element_size =                                    \
                                                    sizeof *((struct array *)0)->items,            \
                                                .flags = SPGC_TYPE_TAIL,                           \
                                                .element_reference_count = 1,                      \
                                                .element_reference_offsets = array##_element,      \
                                                .name = #array}

#define NEW(name) ((struct name REFERENCE *)spgc_allocate(&name##_type))
#define NEW_DATA_ARRAY(name, length)                                                               \
  ((struct name REFERENCE *)spgc_allocate_array(&name##_type, (length)))
#define NEW_REFERENCE_ARRAY(name, length) NEW_DATA_ARRAY(name, length)
#define DROP(object) ((void)(object))

#endif
