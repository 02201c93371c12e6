/* Managed C: C as a frontend. clang compiles it, and spgc-lower does the rest (docs/c-frontend.md).
 *
 *   #include "spgc/managed.h"
 *
 *   struct cell {
 *     const struct spgc_type *type;
 *     struct cell SPGC_MANAGED *next;
 *     long value;
 *   };
 *
 *   static const struct spgc_type cell_type = SPGC_OBJECT_TYPE(struct cell, SPGC_OFFSET(struct
 *       cell, next));
 *
 *   static struct cell SPGC_MANAGED *cells;
 *
 *   void push(long value) {
 *     struct cell SPGC_MANAGED *cell = spgc_allocate(&cell_type);
 *     cell->value = value;
 *     cell->next = cells;
 *     cells = cell;
 *   }
 *
 * A pointer with SPGC_MANAGED is a reference. Local variables, parameters and results need nothing
 * else. A static or global variable with references is a root; a thread-local one is refused. Loads
 * and stores are plain, and barriers and polls are added.
 *
 * Include this header in managed files only, before the other headers. C that is not managed takes
 * the same objects as `struct spgc_ref` (spgc/ref.h), and includes spgc/allocate.h.
 *
 * By default, functions are for attached threads and are not safepoints. */
#ifndef SPGC_MANAGED_H
#define SPGC_MANAGED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef __has_attribute
#error "spgc/managed.h needs address spaces: compile managed C with clang"
#elif !__has_attribute(address_space)
#error "spgc/managed.h needs address spaces: compile managed C with clang"
#endif
#ifdef SPGC_REF_H
#error "include spgc/managed.h before the other headers, because it says what a reference is"
#endif

/* Makes a pointer a reference. Write it before the asterisk: `struct cell SPGC_MANAGED *next`. */
#define SPGC_MANAGED __attribute__((address_space(1)))

#include "spgc/ref.h"
#include "spgc/type.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Marks a function that never reaches a safepoint: `SPGC_LEAF long hash(node object);`. Calls spill
 * nothing, and interior pointers may be passed. It must not allocate, collect, poll, or call a
 * function that does. The lowering checks functions that managed files define, and adds no polls to
 * them, wherever they are inlined. No effect on pointers to functions. */
#define SPGC_LEAF __attribute__((annotate("gc-leaf-function")))

/* Marks a function that you promise is short: `SPGC_NO_POLL static long probe(struct table
 * SPGC_MANAGED *table, long key);`. It may allocate and call, but gets no polls, so collections
 * wait for it, however long it loops or recurs (docs/threads.md). Once inlined, it is polled like
 * the function around it. No effect on pointers to functions. */
#define SPGC_NO_POLL __attribute__((annotate("spgc-no-poll")))

/* Type descriptors (spgc/type.h) as initialisers of `static const struct spgc_type`. Offsets
 * ascend. The first member of each structure is `const struct spgc_type *`, and the second of an
 * array is its length, a `uint64_t`. The lowering refuses a descriptor that contradicts itself.
 *
 *   SPGC_OBJECT_TYPE(structure, offset...)        references at these offsets of the structure
 *   SPGC_DATA_TYPE(structure)                     no references
 *   SPGC_ARRAY_TYPE(structure, tail, offset...)   a tail, the flexible array member; references at
 *                                                 these offsets of each element
 *   SPGC_WEAK_ARRAY_TYPE(structure, tail, offset...)
 *                                                 the same with weak references (spgc/type.h)
 *   SPGC_DATA_ARRAY_TYPE(structure, tail)         a tail without references
 *
 * An array of references has the one offset 0. Describe arrays by hand if their words are values,
 * or the fixed part has references too. C only, because C++ has no compound literals. */
#define SPGC_OBJECT_TYPE(structure, ...)                                                           \
  {.size = sizeof(structure),                                                                      \
   .reference_count = SPGC_OFFSETS_COUNT(__VA_ARGS__),                                             \
   .reference_offsets = (const uint32_t[]){__VA_ARGS__},                                           \
   .name = #structure}
#define SPGC_DATA_TYPE(structure) {.size = sizeof(structure), .name = #structure}
#define SPGC_ARRAY_TYPE(structure, tail, ...)                                                      \
  SPGC_ARRAY_TYPE_WITH(SPGC_TYPE_TAIL, structure, tail, __VA_ARGS__)
#define SPGC_WEAK_ARRAY_TYPE(structure, tail, ...)                                                 \
  SPGC_ARRAY_TYPE_WITH(SPGC_TYPE_TAIL | SPGC_TYPE_TAIL_WEAK, structure, tail, __VA_ARGS__)
#define SPGC_ARRAY_TYPE_WITH(type_flags, structure, tail, ...)                                     \
  {.size = SPGC_OFFSET(structure, tail),                                                           \
   .element_size = SPGC_ELEMENT_SIZE(structure, tail),                                             \
   .flags = (type_flags),                                                                          \
   .element_reference_count = SPGC_OFFSETS_COUNT(__VA_ARGS__),                                     \
   .element_reference_offsets = (const uint32_t[]){__VA_ARGS__},                                   \
   .name = #structure}
#define SPGC_DATA_ARRAY_TYPE(structure, tail)                                                      \
  {.size = SPGC_OFFSET(structure, tail),                                                           \
   .element_size = SPGC_ELEMENT_SIZE(structure, tail),                                             \
   .flags = SPGC_TYPE_TAIL,                                                                        \
   .name = #structure}

/* An offset as descriptors have it. */
#define SPGC_OFFSET(structure, member) ((uint32_t)offsetof(structure, member))

/* Parts of the macros above. */
#define SPGC_OFFSETS_COUNT(...) (sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
#define SPGC_ELEMENT_SIZE(structure, tail) sizeof(((const structure *)0)->tail[0])

/* SPGC_REF converts an object for the other headers, as in spgc_identity_hash(SPGC_REF(object)).
 * SPGC_OBJECT converts their results to a `void SPGC_MANAGED *`. In managed C a `struct spgc_ref`
 * is a reference like any other, which collections update. */
#ifdef __cplusplus
#define SPGC_REF(object) (spgc_ref{object})
#else
#define SPGC_REF(object) ((struct spgc_ref){object})
#endif
#define SPGC_OBJECT(ref) ((ref).word)

/* Allocates a zeroed object of a type without a tail. Never returns null: when memory is exhausted
 * and the out-of-memory hook (spgc/heap.h) returns, the process ends with a message. A
 * safepoint. */
void SPGC_MANAGED *spgc_allocate(const struct spgc_type *type);

/* Like spgc_allocate, with a tail of `length` elements; stores the length. */
void SPGC_MANAGED *spgc_allocate_array(const struct spgc_type *type, uint64_t length);

/* Atomic access to a reference in an object, for threads that share it. C's own atomic operations
 * on references are refused, because clang makes integers of them.
 *
 *   SPGC_LOAD_ACQUIRE(object, field)            returns the reference; a load-acquire
 *   SPGC_STORE_RELEASE(object, field, value)    a store-release, with the write barrier
 *   SPGC_EXCHANGE(object, field, value)         returns the old reference; sequentially consistent,
 *                                               with the write barrier
 *   SPGC_COMPARE_EXCHANGE(object, field, expected, value)
 *                                               stores the value, with the write barrier, if the
 *                                               field holds the expected reference. Returns the old
 *                                               reference, which is the expected one iff the value
 *                                               was stored. Sequentially consistent, never fails
 *                                               spuriously
 *
 * `field` is a designator: next, left.child, or at[i]. The results have the field's type. None is a
 * safepoint. The object must be in the heap, so threads cannot share references through global
 * variables. */
#define SPGC_LOAD_ACQUIRE(object, field)                                                           \
  ((__typeof__((object)->field))spgc_field_load((object), SPGC_FIELD_OFFSET(object, field)))
#define SPGC_STORE_RELEASE(object, field, value)                                                   \
  (spgc_field_store((object), SPGC_FIELD_OFFSET(object, field), SPGC_FIELD(object, field, value)))
#define SPGC_EXCHANGE(object, field, value)                                                        \
  ((__typeof__((object)->field))spgc_field_exchange((object), SPGC_FIELD_OFFSET(object, field),    \
                                                    SPGC_FIELD(object, field, value)))
#define SPGC_COMPARE_EXCHANGE(object, field, expected, value)                                      \
  ((__typeof__((object)->field))spgc_field_compare_exchange(                                       \
      (object), SPGC_FIELD_OFFSET(object, field), SPGC_FIELD(object, field, expected),             \
      SPGC_FIELD(object, field, value)))

/* Parts of the macros above. The second lets the compiler check the value's type against the
 * field's. */
#define SPGC_FIELD_OFFSET(object, field) offsetof(__typeof__(*(object)), field)
#define SPGC_FIELD(object, field, value) (1 ? (value) : (object)->field)

/* The functions behind these macros. `offset` is in bytes. */
SPGC_LEAF void SPGC_MANAGED *spgc_field_load(const void SPGC_MANAGED *object, uint64_t offset);
SPGC_LEAF void spgc_field_store(void SPGC_MANAGED *object, uint64_t offset,
                                void SPGC_MANAGED *value);
SPGC_LEAF void SPGC_MANAGED *spgc_field_exchange(void SPGC_MANAGED *object, uint64_t offset,
                                                 void SPGC_MANAGED *value);
SPGC_LEAF void SPGC_MANAGED *spgc_field_compare_exchange(void SPGC_MANAGED *object, uint64_t offset,
                                                         void SPGC_MANAGED *expected,
                                                         void SPGC_MANAGED *value);

/* A poll, for a managed loop in which the lowering cannot place one. A safepoint. */
void spgc_poll(void);

/* Whether the stack pointer is below the thread's `stack_limit` (spgc/thread.h). */
bool spgc_stack_low(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
