/* No entry is lost, and refused calls can be repeated. --wrap redirects the library's calls
 * here. */
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "heap_world.h"
#include "spgc/finalizer.h"
#include "spgc/identity.h"
#include "spgc/pin.h"
#include "spgc/weak.h"
#include "spgc/weak_map.h"

void *__real_malloc(size_t bytes);
void *__real_realloc(void *memory, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);

static int calls_until_refusal = -1; /* negative: none is refused */

static bool refuses(void) {
  return calls_until_refusal >= 0 && calls_until_refusal-- == 0;
}

void *__wrap_malloc(size_t bytes) {
  return refuses() ? NULL : __real_malloc(bytes);
}

void *__wrap_realloc(void *memory, size_t bytes) {
  return refuses() ? NULL : __real_realloc(memory, bytes);
}

enum { OBJECTS = 300 };

struct things {
  struct spgc_handle array;
  struct spgc_weak_map map;
};

static struct spgc_ref at(const struct things *things, unsigned i) {
  return world_get(things->array, 2 + i);
}

static struct things new_things(void) {
  struct things things = {.array =
                              spgc_handle_make(spgc_allocate_array(&world_references, OBJECTS))};
  ck_assert_int_eq(spgc_weak_map_create(spgc_handle_get(things.array), &things.map, NULL), SPGC_OK);
  for (unsigned i = 0; i < OBJECTS; i++)
    world_set(things.array, 2 + i, spgc_allocate(&world_holder));
  return things;
}

/* Uses every table for object `i`, and repeats refused calls. Returns their number. */
static int use(struct things *things, unsigned i, int refused_call) {
  int refused = 0;
  struct spgc_ref object = at(things, i), next = at(things, (i + 1) % OBJECTS);
  struct spgc_error error = {.message = "out of memory"};
#define TRY(call, failure)                                                                         \
  do {                                                                                             \
    calls_until_refusal = refused_call;                                                            \
    if ((call) == (failure)) {                                                                     \
      refused++;                                                                                   \
      calls_until_refusal = -1;                                                                    \
      ck_assert_uint_eq(error.position, 0);                                                        \
      ck_assert_ptr_nonnull(strstr(error.message, "out of memory"));                               \
      ck_assert((call) != (failure));                                                              \
    }                                                                                              \
    calls_until_refusal = -1;                                                                      \
  } while (0)
  TRY(spgc_weak_bind(object, WORLD_WEAK_OFFSET, next, &error), SPGC_ERROR_NO_MEMORY);
  TRY(spgc_weak_map_set(things->map, object, next, &error), SPGC_ERROR_NO_MEMORY);
  TRY(spgc_finalizer_register(object, spgc_ref_null(), &error), SPGC_ERROR_NO_MEMORY);
  TRY(spgc_identity_hash(object), 0);
  TRY(spgc_pin(object, &error), SPGC_ERROR_NO_MEMORY);
  struct spgc_weak_map map;
  TRY(spgc_weak_map_create(object, &map, &error), SPGC_ERROR_NO_MEMORY);
#undef TRY
  return refused;
}

static void check_all(const struct things *things, unsigned count) {
  ck_assert_uint_eq(spgc_weak_map_count(things->map), count);
  for (unsigned i = 0; i < count; i++) {
    struct spgc_ref value, next = at(things, (i + 1) % OBJECTS);
    ck_assert(spgc_weak_map_get(things->map, at(things, i), &value) && spgc_ref_equal(value, next));
    ck_assert(spgc_ref_equal(spgc_weak_get(at(things, i), WORLD_WEAK_OFFSET), next));
  }
}

START_TEST(refused_memory_leaves_tables_as_they_were) {
  int refused = 0;
  for (int refused_call = 0; refused_call < 2; refused_call++) {
    world_open("");
    struct things things = new_things();
    for (unsigned i = 0; i < OBJECTS; i++)
      refused += use(&things, i, refused_call);
    check_all(&things, OBJECTS);
    spgc_collect(SPGC_COLLECTION_FULL);
    check_all(&things, OBJECTS);
    ck_assert_uint_eq(spgc_finalizers_waiting(), 0);
    for (unsigned i = 0; i < OBJECTS; i++)
      spgc_unpin(at(&things, i));
    world_close();
  }
  ck_assert_int_ge(refused, 20);
}
END_TEST

/* Tables then keep their size. */
START_TEST(collections_need_no_memory) {
  world_open("move=always,verify=full,seed=3");
  struct things things = new_things();
  for (unsigned i = 0; i < OBJECTS; i++) {
    use(&things, i, -1);
    spgc_unpin(at(&things, i));
  }
  for (int round = 0; round < 3; round++) {
    calls_until_refusal = 0;
    spgc_collect(SPGC_COLLECTION_FULL);
    calls_until_refusal = -1;
    check_all(&things, OBJECTS);
  }
  for (unsigned i = 10; i < OBJECTS; i++)
    world_set(things.array, 2 + i, spgc_ref_null());
  struct spgc_finalizer finalizer;
  for (int round = 0; round < 3;
       round++) { /* chains of values keep some until their finalizers were called */
    calls_until_refusal = 0;
    spgc_collect(SPGC_COLLECTION_FULL);
    calls_until_refusal = -1;
    while (spgc_finalizer_next(&finalizer))
      ;
  }
  ck_assert_uint_lt(spgc_weak_map_count(things.map), OBJECTS + 1);
  world_close();
}
END_TEST

CHECK_MAIN("heap-weak-refused-memory", refused_memory_leaves_tables_as_they_were,
           collections_need_no_memory)
