#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "ends.h"
#include "fatal_check.h"
#include "gc/mutator/mutator.h"
#include "heap_world.h"
#include "spgc/generated.h"

START_TEST(the_heap_starts_once_and_again_after_a_stop) {
  struct spgc_error error;
  ck_assert_int_eq(spgc_start(NULL, &error), SPGC_OK);
  ck_assert_int_eq(spgc_start(NULL, &error), SPGC_ERROR_STATE);
  spgc_stop();
  spgc_stop();
  for (int i = 0; i < 20; i++) {
    world_open("limit=32m");
    world_check_list(world_new_list(100), 100);
    world_close();
  }
}
END_TEST

START_TEST(a_thread_attaches_once_and_only_to_a_started_heap) {
  struct spgc_error error;
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), &error), SPGC_ERROR_STATE);
  spgc_thread_detach();
  ck_assert_int_eq(spgc_start(NULL, &error), SPGC_OK);
  ck_assert_int_eq(spgc_thread_attach(NULL, &error), SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), &error), SPGC_OK);
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), &error), SPGC_ERROR_STATE);
  spgc_thread_detach();
  spgc_thread_detach();
  spgc_stop();
}
END_TEST

static void *allocate_in_turn(void *count) {
  if (spgc_thread_attach(__builtin_frame_address(0), NULL) != SPGC_OK)
    return NULL;
  world_check_list(world_new_list(*(uint64_t *)count), *(uint64_t *)count);
  spgc_thread_detach();
  return count;
}

START_TEST(threads_may_attach_one_after_another) {
  ck_assert_int_eq(spgc_start(NULL, NULL), SPGC_OK);
  uint64_t count = world_amount(5000, 5000, 200);
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    void *result;
    ck_assert_int_eq(pthread_create(&thread, NULL, allocate_in_turn, &count), 0);
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    ck_assert_ptr_nonnull(result);
  }
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  ck_assert_uint_eq(world_statistics().allocated_bytes, 3 * count * world_pair.size);
  world_close();
}
END_TEST

START_TEST(the_environment_applies_on_top_of_the_options) {
  struct spgc_error error;
  setenv("SPGC_OPTIONS", "limit=64m,walk=blindly", 1);
  ck_assert_int_eq(spgc_start(NULL, &error), SPGC_ERROR_INVALID_ARGUMENT);
  ck_assert_ptr_nonnull(strstr(error.message, "SPGC_OPTIONS"));
  ck_assert_uint_eq(error.position, 15);
  setenv("SPGC_OPTIONS", "stress=every-allocation", 1);
  world_open("stress=none");
  world_new_leaf(1);
  world_new_leaf(2);
  ck_assert_uint_eq(world_statistics().minor_collections, 2);
  world_close();
}
END_TEST

START_TEST(options_out_of_range_are_refused) {
  unsetenv("SPGC_OPTIONS"); /* it would override the settings */
  static struct spgc_options wrong[] = {{.heap_limit = 4096},
                                        {.heap_limit = SIZE_MAX / 2},
                                        {.nursery_size = 100},
                                        {.growth = 10001},
                                        {.without = 77}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    struct spgc_error error;
    wrong[i].size = sizeof wrong[i];
    ck_assert_int_eq(spgc_start(&wrong[i], &error), SPGC_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_gt(strlen(error.message), 0);
  }
  ck_assert_int_eq(spgc_start(NULL, NULL), SPGC_OK);
  spgc_stop();
}
END_TEST

static void stop_while_attached(void) {
  world_open("");
  spgc_stop();
}

static void allocate_unattached(void) {
  spgc_allocate(&world_leaf);
}

static void close_an_alien_scope(void) {
  world_open("");
  struct spgc_scope scope = {17};
  spgc_scope_close(scope);
}

START_TEST(misuse_is_fatal) {
  check_is_fatal(stop_while_attached, "threads are attached: 1");
  check_is_fatal(allocate_unattached, "not attached");
  check_is_fatal(close_an_alien_scope, "a scope at height 17");
}
END_TEST

static void *collect_once(void *context) {
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), NULL), SPGC_OK);
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_thread_detach();
  return context;
}

static pthread_t be_asked_to_stop(void) {
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, collect_once, NULL), 0);
  while (!spgc_mutator_is_asked_to_stop(spgc_mutator_self()))
    sched_yield();
  return thread;
}

START_TEST(an_attached_thread_is_refused_while_another_stops_the_world) {
  struct spgc_error error;
  world_open("");
  pthread_t thread = be_asked_to_stop();
  ck_assert_int_eq(spgc_thread_attach(__builtin_frame_address(0), &error), SPGC_ERROR_STATE);
  ck_assert_ptr_nonnull(strstr(error.message, "the thread is attached already"));
  ck_assert_int_eq(spgc_thread_attach(NULL, NULL), SPGC_ERROR_STATE);
  ck_assert_int_eq(spgc_start(NULL, NULL), SPGC_ERROR_STATE);
  ck_assert(spgc_mutator_is_asked_to_stop(spgc_mutator_self()));
  join_blocking(thread);
  world_close();
}
END_TEST

static void stop_while_another_stops_the_world(void) {
  world_open("");
  be_asked_to_stop();
  spgc_stop();
}

START_TEST(an_attached_thread_cannot_stop_the_heap_while_another_stops_the_world) {
  check_is_fatal(stop_while_another_stops_the_world, "spgc_stop: threads are attached: 2");
}
END_TEST

START_TEST(polls_collect_only_when_asked_to) {
  world_open_fixed("");
  ck_assert_uint_eq(spgc_thread.poll, 0);
  spgc_thread.poll = 1;
  spgc_poll_slow();
  ck_assert_uint_eq(spgc_thread.poll, 0);
  ck_assert_uint_eq(world_statistics().minor_collections, 0);
  world_close();
  world_open_fixed("stress=every-allocation");
  ck_assert_uint_ne(spgc_thread.poll, 0);
  spgc_poll_slow();
  ck_assert_uint_ne(spgc_thread.poll, 0);
  ck_assert_uint_eq(world_statistics().minor_collections, 1);
  ck_assert_uint_eq(spgc_thread.limit, 0);
  spgc_allocate(&world_leaf);
  ck_assert_uint_eq(spgc_thread.limit, 0);
  world_close();
}
END_TEST

START_TEST(the_thread_words_lie_at_one_offset) {
  ck_assert_ptr_eq((char *)__builtin_thread_pointer() + spgc_thread_offset(), (char *)&spgc_thread);
}
END_TEST

/* As the lowering's inline code. */
static uintptr_t allocate_inline(const struct spgc_type *type) {
  uintptr_t object = spgc_thread.cursor;
  if (object + type->size > spgc_thread.limit)
    return spgc_allocate_slow(type, 0).word;
  spgc_thread.cursor = object + type->size;
  memset((void *)object, 0, type->size);
  *(uintptr_t *)object = (uintptr_t)type;
  return object;
}

START_TEST(inline_and_slow_allocation_fill_the_same_areas) {
  world_open("nursery=64k,verify=full");
  struct spgc_handle head = spgc_handle_make(spgc_ref_null());
  uint64_t count = world_amount(20000, 20000, 200);
  for (uint64_t i = 0; i < count; i++) {
    uint64_t *words = (uint64_t *)allocate_inline(&world_pair);
    words[1] = count - 1 - i;
    words[2] = spgc_handle_get(head).word;
    spgc_handle_set(head, spgc_ref_from_word((uintptr_t)words));
  }
  world_check_list(head, count);
  ck_assert_uint_eq(world_statistics().allocated_bytes, count * world_pair.size);
  ck_assert_uint_gt(world_usual_collections(), 1);
  world_close();
}
END_TEST

START_TEST(stores_dirty_the_cards_that_generated_code_would) {
  world_open("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  uintptr_t field = (uintptr_t)world_field(pair, 2);
  uint8_t *card = (uint8_t *)(spgc_thread.cards + (field >> SPGC_CARD_SHIFT));
  uint8_t *group_card = (uint8_t *)(spgc_thread.group_cards + (field >> SPGC_GROUP_CARD_SHIFT));
  uintptr_t stores = spgc_thread.stores;
  ck_assert_uint_eq(*card, SPGC_CARD_CLEAN);
  world_set(pair, 2, spgc_ref_null());
  ck_assert_uint_eq(*card, SPGC_CARD_DIRTY);
  ck_assert(*group_card == SPGC_CARD_DIRTY || spgc_thread.stores == stores + sizeof stores);
  world_close();
}
END_TEST

static void count_interrupt(void *count) {
  ++*(int *)count;
}

START_TEST(a_poll_calls_the_hook_once_for_any_number_of_interrupts) {
  int interrupts = 0;
  world_open("");
  spgc_set_interrupt_hook(count_interrupt, &interrupts);
  uintptr_t usual = spgc_thread.poll;
  spgc_poll_slow();
  ck_assert_int_eq(interrupts, 0);
  spgc_thread_interrupt();
  spgc_thread_interrupt();
  ck_assert_uint_ne(spgc_thread.poll, usual);
  spgc_poll_slow();
  ck_assert_int_eq(interrupts, 1);
  ck_assert_uint_eq(spgc_thread.poll, usual);
  spgc_set_interrupt_hook(NULL, NULL);
  spgc_thread_interrupt();
  spgc_poll_slow();
  ck_assert_int_eq(interrupts, 1);
  ck_assert_uint_eq(spgc_thread.poll, usual);
  world_close();
}
END_TEST

CHECK_MAIN("heap-life", the_heap_starts_once_and_again_after_a_stop,
           a_thread_attaches_once_and_only_to_a_started_heap, threads_may_attach_one_after_another,
           the_environment_applies_on_top_of_the_options, options_out_of_range_are_refused,
           misuse_is_fatal, an_attached_thread_is_refused_while_another_stops_the_world,
           an_attached_thread_cannot_stop_the_heap_while_another_stops_the_world,
           polls_collect_only_when_asked_to, the_thread_words_lie_at_one_offset,
           inline_and_slow_allocation_fill_the_same_areas,
           stores_dirty_the_cards_that_generated_code_would,
           a_poll_calls_the_hook_once_for_any_number_of_interrupts)
