/* No object is lost or found twice. */
#include <pthread.h>
#include <stdatomic.h>

#include "check_main.h"
#include "ends.h"
#include "heap_world.h"
#include "spgc/generated.h"

enum { THREADS = 4, MOST_NODES = 4000, TOP = 2, TOKEN = 3 };

/* Old: {header, number, top of a stack of pairs, a token that is passed around}. */
static struct spgc_handle shared;
static uint64_t nodes_each;
static atomic_uint taken[THREADS * MOST_NODES];
static atomic_uint_fast64_t tokens_put, tokens_got;

static struct spgc_slot shared_field(unsigned word) {
  return spgc_slot_at(world_field(shared, word));
}

static struct spgc_ref field_of(struct spgc_ref object, unsigned word) {
  return spgc_slot_load(spgc_slot_at((uint64_t *)spgc_ref_memory(object) + word));
}

static uint64_t number_of(struct spgc_ref object) {
  return ((const uint64_t *)spgc_ref_memory(object))[1];
}

/* C variables may hold references, because no safepoint intervenes. */
static void push(uint64_t number) {
  struct spgc_ref node = spgc_allocate(&world_pair);
  ((uint64_t *)spgc_ref_memory(node))[1] = number;
  struct spgc_slot next = spgc_slot_at((uint64_t *)spgc_ref_memory(node) + TOP);
  struct spgc_ref top = spgc_slot_load(shared_field(TOP));
  do
    spgc_store(next, top);
  while (!spgc_compare_exchange(shared_field(TOP), &top, node));
}

/* Acquires the writes of the thread that pushed it. */
static struct spgc_ref top_of_stack(void) {
  return spgc_ref_from_word(
      __atomic_load_n((uintptr_t *)world_field(shared, TOP), __ATOMIC_ACQUIRE));
}

static bool pop(void) {
  struct spgc_ref top = top_of_stack();
  while (!spgc_ref_is_null(top))
    if (spgc_compare_exchange(shared_field(TOP), &top, field_of(top, TOP))) {
      atomic_fetch_add(&taken[number_of(top)], 1);
      return true;
    }
  return false;
}

static void pass_token(uint64_t number) {
  struct spgc_ref token = spgc_allocate(&world_leaf);
  ((uint64_t *)spgc_ref_memory(token))[1] = number;
  struct spgc_ref found = spgc_exchange(shared_field(TOKEN), token);
  atomic_fetch_add(&tokens_put, number);
  if (!spgc_ref_is_null(found))
    atomic_fetch_add(&tokens_got, number_of(found));
}

static void *hammer(void *context) {
  uint64_t first = *(const uint64_t *)context * MOST_NODES;
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  for (uint64_t i = 0; i < nodes_each; i++) {
    push(first + i);
    pass_token(i);
    if (i % 3 != 0)
      pop();
  }
  spgc_thread_detach();
  return context;
}

START_TEST(threads_share_fields_without_locks) {
  world_open("nursery=64k,verify=full");
  nodes_each = world_amount(MOST_NODES, MOST_NODES / 4, 300);
  shared = spgc_global_handle_make(spgc_allocate(&world_pair));
  spgc_collect(SPGC_COLLECTION_FULL);
  pthread_t threads[THREADS];
  uint64_t numbers[THREADS];
  for (uint64_t i = 0; i < THREADS; i++) {
    numbers[i] = i;
    ck_assert_int_eq(pthread_create(&threads[i], NULL, hammer, &numbers[i]), 0);
  }
  for (int i = 0; i < THREADS; i++)
    ck_assert_ptr_nonnull(join_blocking(threads[i]));
  world_verify();
  while (pop())
    ;
  for (uint64_t i = 0; i < THREADS * nodes_each; i++)
    ck_assert_uint_eq(atomic_load(&taken[i / nodes_each * MOST_NODES + i % nodes_each]), 1);
  struct spgc_ref last = spgc_exchange(shared_field(TOKEN), spgc_ref_null());
  ck_assert_uint_eq(atomic_load(&tokens_put), atomic_load(&tokens_got) + number_of(last));
  ck_assert_uint_gt(world_statistics().moved_objects, 0);
  spgc_global_handle_release(shared);
  world_close();
}
END_TEST

START_TEST(a_comparison_that_fails_says_what_there_is) {
  world_open("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  struct spgc_handle leaf = world_new_leaf(1), other = world_new_leaf(2);
  struct spgc_slot field = spgc_slot_at(world_field(pair, 2));
  struct spgc_ref expected = spgc_handle_get(other);
  ck_assert(!spgc_compare_exchange(field, &expected, spgc_handle_get(leaf)));
  ck_assert(spgc_ref_is_null(expected));
  ck_assert(spgc_ref_is_null(world_get(pair, 2)));
  ck_assert(spgc_compare_exchange(field, &expected, spgc_handle_get(leaf)));
  ck_assert(spgc_ref_equal(world_get(pair, 2), spgc_handle_get(leaf)));
  expected = spgc_ref_null();
  ck_assert(!spgc_compare_exchange(field, &expected, spgc_handle_get(other)));
  ck_assert(spgc_ref_equal(expected, spgc_handle_get(leaf)));
  ck_assert(spgc_ref_equal(spgc_exchange(field, spgc_handle_get(other)), spgc_handle_get(leaf)));
  ck_assert(spgc_ref_equal(world_get(pair, 2), spgc_handle_get(other)));
  world_close();
}
END_TEST

/* In C variables, because no safepoint intervenes. */
START_TEST(a_field_is_named_by_its_object_and_offset) {
  enum { OFFSET = 16 };
  world_open("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  struct spgc_handle leaf = world_new_leaf(1), other = world_new_leaf(2);
  struct spgc_ref object = spgc_handle_get(pair), first = spgc_handle_get(leaf),
                  second = spgc_handle_get(other);
  spgc_field_store(object, OFFSET, first);
  ck_assert(spgc_ref_equal(world_get(pair, 2), first));
  ck_assert(spgc_ref_equal(spgc_field_load(object, OFFSET), first));
  ck_assert(spgc_ref_equal(spgc_field_exchange(object, OFFSET, second), first));
  ck_assert(spgc_ref_equal(world_get(pair, 2), second));
  ck_assert(
      spgc_ref_equal(spgc_field_compare_exchange(object, OFFSET, first, spgc_ref_null()), second));
  ck_assert(spgc_ref_equal(world_get(pair, 2), second));
  ck_assert(
      spgc_ref_equal(spgc_field_compare_exchange(object, OFFSET, second, spgc_ref_null()), second));
  ck_assert(spgc_ref_is_null(world_get(pair, 2)));
  world_close();
}
END_TEST

/* Verification checks the card. */
START_TEST(exchanges_have_a_barrier) {
  world_open_fixed("move=default");
  struct spgc_handle old = spgc_handle_make(spgc_allocate(&world_pair));
  spgc_collect(SPGC_COLLECTION_FULL);
  struct spgc_handle first = world_new_leaf(1);
  struct spgc_ref expected = spgc_ref_null();
  ck_assert(
      spgc_compare_exchange(spgc_slot_at(world_field(old, 2)), &expected, spgc_handle_get(first)));
  world_verify();
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_eq(number_of(world_get(old, 2)), 1);
  struct spgc_handle second = world_new_leaf(2);
  spgc_exchange(spgc_slot_at(world_field(old, 3)), spgc_handle_get(second));
  world_verify();
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_eq(number_of(world_get(old, 3)), 2);
  world_close();
}
END_TEST

CHECK_MAIN_WITHIN(120, "heap-exchange", threads_share_fields_without_locks,
                  a_comparison_that_fails_says_what_there_is,
                  a_field_is_named_by_its_object_and_offset, exchanges_have_a_barrier)
