/* Calls that end the process; test_refused_calls.c has those that return an error. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "check_main.h"
#include "fatal_check.h"
#include "heap_world.h"
#include "spgc/code_name.h"
#include "spgc/fiber.h"
#include "spgc/finalizer.h"
#include "spgc/fork.h"
#include "spgc/generated.h"
#include "spgc/identity.h"
#include "spgc/module.h"
#include "spgc/pin.h"
#include "spgc/protect.h"
#include "spgc/roots.h"
#include "spgc/stackwalk.h"
#include "spgc/weak.h"
#include "spgc/weak_map.h"

/* Not attached. */

static struct spgc_ref words[64];

static void allocate_unattached(void) {
  spgc_allocate(&world_pair);
}

static void allocate_array_unattached(void) {
  spgc_allocate_array(&world_bytes, 3);
}

static void store_unattached(void) {
  spgc_store(spgc_slot_at(words), spgc_ref_null());
}

static void exchange_unattached(void) {
  spgc_exchange(spgc_slot_at(words), spgc_ref_null());
}

static void compare_unattached(void) {
  struct spgc_ref expected = spgc_ref_null();
  spgc_compare_exchange(spgc_slot_at(words), &expected, spgc_ref_null());
}

static void collect_unattached(void) {
  spgc_collect(SPGC_COLLECTION_MINOR);
}

static void verify_unattached(void) {
  spgc_heap_verify(NULL);
}

static void open_scope_unattached(void) {
  spgc_scope_open();
}

static void close_scope_unattached(void) {
  spgc_scope_close((struct spgc_scope){0});
}

static void make_handle_unattached(void) {
  spgc_handle_make(spgc_ref_null());
}

static void *do_nothing(void *argument) {
  return argument;
}

static void block_unattached(void) {
  spgc_call_blocking(do_nothing, NULL);
}

static void read_statistics_unattached(void) {
  world_statistics();
}

static void pin_unattached(void) {
  spgc_pin(spgc_ref_null(), NULL);
}

static void unpin_unattached(void) {
  spgc_unpin(spgc_ref_null());
}

static void hash_unattached(void) {
  spgc_identity_hash(spgc_ref_null());
}

static void bind_unattached(void) {
  spgc_weak_bind(spgc_ref_null(), 8, spgc_ref_null(), NULL);
}

static void register_finalizer_unattached(void) {
  spgc_finalizer_register(spgc_ref_null(), spgc_ref_null(), NULL);
}

static void cancel_finalizer_unattached(void) {
  spgc_finalizer_cancel(spgc_ref_null());
}

static void take_finalizer_unattached(void) {
  struct spgc_finalizer finalizer;
  spgc_finalizer_next(&finalizer);
}

static void count_finalizers_unattached(void) {
  spgc_finalizers_waiting();
}

static void queue_finalizers_unattached(void) {
  spgc_finalizers_queue_all();
}

static void create_map_unattached(void) {
  struct spgc_weak_map map;
  spgc_weak_map_create(spgc_ref_null(), &map, NULL);
}

static void destroy_map_unattached(void) {
  spgc_weak_map_destroy((struct spgc_weak_map){0});
}

static void set_in_map_unattached(void) {
  spgc_weak_map_set((struct spgc_weak_map){0}, spgc_ref_null(), spgc_ref_null(), NULL);
}

static void get_from_map_unattached(void) {
  spgc_weak_map_get((struct spgc_weak_map){0}, spgc_ref_null(), NULL);
}

static void remove_from_map_unattached(void) {
  spgc_weak_map_remove((struct spgc_weak_map){0}, spgc_ref_null());
}

static void measure_unattached(void) {
  spgc_object_size(spgc_ref_null());
}

static void size_map_unattached(void) {
  spgc_weak_map_count((struct spgc_weak_map){0});
}

static const struct fatal_row {
  void (*body)(void);
  const char *call;
} needs_attachment[] = {
    {allocate_unattached, "spgc_allocate: "},
    {allocate_array_unattached, "spgc_allocate_array: "},
    {store_unattached, "spgc_store: "},
    {exchange_unattached, "spgc_exchange: "},
    {compare_unattached, "spgc_compare_exchange: "},
    {collect_unattached, "spgc_collect: "},
    {verify_unattached, "spgc_heap_verify: "},
    {open_scope_unattached, "spgc_scope_open: "},
    {close_scope_unattached, "spgc_scope_close: "},
    {make_handle_unattached, "spgc_handle_make: "},
    {block_unattached, "spgc_call_blocking: "},
    {read_statistics_unattached, "spgc_statistics_read: "},
    {pin_unattached, "spgc_pin: "},
    {unpin_unattached, "spgc_unpin: "},
    {hash_unattached, "spgc_identity_hash: "},
    {bind_unattached, "spgc_weak_bind: "},
    {register_finalizer_unattached, "spgc_finalizer_register: "},
    {cancel_finalizer_unattached, "spgc_finalizer_cancel: "},
    {take_finalizer_unattached, "spgc_finalizer_next: "},
    {count_finalizers_unattached, "spgc_finalizers_waiting: "},
    {queue_finalizers_unattached, "spgc_finalizers_queue_all: "},
    {create_map_unattached, "spgc_weak_map_create: "},
    {destroy_map_unattached, "spgc_weak_map_destroy: "},
    {set_in_map_unattached, "spgc_weak_map_set: "},
    {get_from_map_unattached, "spgc_weak_map_get: "},
    {remove_from_map_unattached, "spgc_weak_map_remove: "},
    {size_map_unattached, "spgc_weak_map_count: "},
    {measure_unattached, "spgc_object_size: "},
};

static const struct fatal_row *row;

static void run_started(void) {
  world_open("");
  spgc_thread_detach();
  row->body();
}

static void run_stopped(void) {
  world_open("");
  world_close();
  row->body();
}

static void *run_row(void *context) {
  row->body();
  return context;
}

static void run_blocking(void) {
  world_open("");
  spgc_call_blocking(run_row, NULL);
}

static void check_row(void (*body)(void), const char *wrong) {
  char message[200];
  ck_assert_int_lt(snprintf(message, sizeof message, "%s%s", row->call, wrong),
                   (int)sizeof message);
  check_is_fatal(body, message);
}

START_TEST(calls_of_attached_threads_name_themselves_elsewhere) {
  row = &needs_attachment[_i];
  check_row(row->body, "the heap is not started");
  check_row(run_stopped, "the heap is not started");
  check_row(run_started, "the calling thread is not attached; call spgc_thread_attach");
  check_row(run_blocking, "the calling thread is in spgc_call_blocking");
}
END_TEST

static struct spgc_handle global;

static void release_twice(void) {
  global = spgc_global_handle_make(spgc_ref_null());
  spgc_global_handle_make(spgc_ref_null());
  spgc_global_handle_release(global);
  spgc_global_handle_release(global);
}

static void release_nothing(void) {
  spgc_global_handle_release((struct spgc_handle){NULL});
}

static void release_a_scoped_handle(void) {
  world_open("");
  spgc_global_handle_release(world_new_leaf(1));
}

static void release_within_a_handle(void) {
  global = spgc_global_handle_make(spgc_ref_null());
  spgc_global_handle_release((struct spgc_handle){(struct spgc_ref *)((char *)global.slot + 1)});
}

static void close_scopes_out_of_order(void) {
  world_open("");
  struct spgc_scope outer = spgc_scope_open();
  world_new_leaf(1);
  struct spgc_scope inner = spgc_scope_open();
  spgc_scope_close(outer);
  spgc_scope_close(inner);
}

static void pin_what_a_closed_scope_held(void) {
  world_open("poison=on");
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle leaf = world_new_leaf(1);
  spgc_scope_close(scope);
  spgc_identity_hash(spgc_handle_get(leaf));
  struct spgc_error error;
  if (spgc_pin(spgc_handle_get(leaf), &error) != SPGC_OK) {
    fputs(error.message, stderr);
    abort();
  }
}

static void *detach(void *context) {
  spgc_thread_detach();
  return context;
}

static void *detach_managed(void *context) {
  return spgc_call_managed(detach, context);
}

static void detach_in_blocking(void) {
  world_open("");
  spgc_call_blocking(detach, NULL);
}

static void detach_in_managed(void) {
  world_open("");
  spgc_call_blocking(detach_managed, NULL);
}

static void go_back_without_having_left(void) {
  world_open("");
  spgc_call_managed(do_nothing, NULL);
}

static void block_without_function(void) {
  world_open("");
  spgc_call_blocking(NULL, NULL);
}

static void stop_while_attached(void) {
  world_open("");
  spgc_stop();
}

static void collect_what_there_is_not(void) {
  world_open("");
  spgc_collect((enum spgc_collection)7);
}

static void read_no_statistics(void) {
  world_open("");
  spgc_statistics_read(NULL);
}

static void parse_no_options(void) {
  spgc_options_parse(NULL, "", NULL);
}

static void unpin_what_is_not_pinned(void) {
  world_open("");
  spgc_unpin(spgc_handle_get(world_new_leaf(1)));
}

static void hash_within_an_object(void) {
  world_open("");
  spgc_identity_hash(spgc_ref_from_word(spgc_handle_get(world_new_leaf(1)).word + 8));
}

static void measure_what_is_no_object(void) {
  world_open("");
  spgc_object_size(spgc_ref_null());
}

static void measure_within_an_object(void) {
  world_open("");
  spgc_object_size(spgc_ref_from_word(spgc_handle_get(world_new_leaf(1)).word + 8));
}

static struct spgc_fiber_end end_at_once(void *value) {
  return (struct spgc_fiber_end){spgc_fiber_current(), value};
}

static void store_outside_the_heap(void) {
  world_open("");
  spgc_store(spgc_slot_at(words), spgc_ref_null());
}

static void exchange_outside_the_heap(void) {
  world_open("");
  spgc_exchange(spgc_slot_at(words), spgc_ref_null());
}

static void compare_outside_the_heap(void) {
  struct spgc_ref expected = spgc_ref_null();
  world_open("");
  spgc_compare_exchange(spgc_slot_at(words), &expected, spgc_ref_null());
}

static void compare_with_nothing(void) {
  world_open("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  char *fields = spgc_ref_memory(spgc_handle_get(pair));
  spgc_compare_exchange(spgc_slot_at(fields + 16), NULL, spgc_ref_null());
}

static void walk_a_fiber_without_visitor(void) {
  struct spgc_fiber *fiber;
  world_open("");
  ck_assert_int_eq(spgc_fiber_create(end_at_once, NULL, SPGC_FIBER_STACK_LEAST, &fiber, NULL),
                   SPGC_OK);
  spgc_fiber_walk(fiber, NULL, NULL);
}

static void count_in_no_ranges(void) {
  spgc_types_count(NULL, 2);
}

static void load_no_module(void) {
  spgc_module_load(NULL, "m");
}

static void unload_no_module(void) {
  spgc_module_unload(NULL);
}

static void protect_nothing(void) {
  spgc_protect(NULL, NULL, NULL);
}

static void select_an_unknown_walk(void) {
  spgc_walk_select((enum spgc_walk)77);
}

static void use_a_destroyed_map(void) {
  struct spgc_weak_map map;
  world_open("");
  ck_assert_int_eq(spgc_weak_map_create(spgc_ref_null(), &map, NULL), SPGC_OK);
  spgc_weak_map_destroy(map);
  spgc_weak_map_count(map);
}

static void create_no_map(void) {
  world_open("");
  spgc_weak_map_create(spgc_ref_null(), NULL, NULL);
}

static void register_no_module(void) {
  spgc_module_register(NULL, 0, NULL);
}

static void add_a_fork_lock_twice(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  static struct spgc_fork_lock first = {.mutex = &mutex}, second = {.mutex = &mutex};
  spgc_fork_lock_add(&first);
  spgc_fork_lock_remove(&first);
  spgc_fork_lock_add(&first);
  spgc_fork_lock_add(&second);
  spgc_fork_lock_add(&first);
}

static void add_no_fork_lock(void) {
  spgc_fork_lock_add(NULL);
}

static void add_code_names_twice(void) {
  static struct spgc_code_names first, second;
  spgc_code_names_add(&first);
  spgc_code_names_remove(&first);
  spgc_code_names_add(&first);
  spgc_code_names_add(&second);
  spgc_code_names_add(&first);
}

static void add_no_code_names(void) {
  spgc_code_names_add(NULL);
}

static void remove_no_code_names(void) {
  spgc_code_names_remove(NULL);
}

static void remove_code_names_that_were_not_added(void) {
  static struct spgc_code_names names;
  spgc_code_names_remove(&names);
}

static void add_code_names_at_null(void) {
  static struct spgc_code_names names = {.count = 3};
  spgc_code_names_add(&names);
}

static void add_variable_names_twice(void) {
  static struct spgc_code_names names;
  spgc_variable_names_add(&names);
  spgc_variable_names_add(&names);
}

static void add_no_variable_names(void) {
  spgc_variable_names_add(NULL);
}

static void remove_names_of_functions_as_those_of_variables(void) {
  static struct spgc_code_names names;
  spgc_code_names_add(&names);
  spgc_variable_names_remove(&names);
}

static void give_an_array_no_tail(void) {
  world_open("");
  spgc_allocate_array(&world_pair, 2);
}

static void add_roots_that_are_not_cleared(void) {
  struct spgc_roots roots = {.first = words, .reserved = {0, 1}};
  spgc_roots_add(&roots);
}

static void count_roots_at_null(void) {
  static struct spgc_roots roots = {.count = 3, .name = "a table"};
  world_open("");
  spgc_roots_add(&roots);
  spgc_collect(SPGC_COLLECTION_MINOR);
}

static void unregister_no_module(void) {
  spgc_module_unregister(NULL);
}

/* A word that is not an address passes the check before. */

static uint64_t address_of_an_object(void) {
  world_open("");
  return spgc_handle_get(world_new_leaf(1)).word;
}

static void take_an_address_for_a_number(void) {
  uint64_t address = address_of_an_object();
  spgc_check_number(42, "f.c:1: g");
  spgc_check_number(address, "f.c:2: h");
}

static void keep_an_address_among_numbers(void) {
  const uint64_t numbers[] = {42, address_of_an_object()};
  spgc_check_words((uint64_t)(uintptr_t)numbers, sizeof *numbers, "f.c:1: g");
  spgc_check_words((uint64_t)(uintptr_t)numbers, sizeof numbers, "f.c:2: h");
}

static void copy_an_address_as_a_number(void) {
  uint64_t address = address_of_an_object();
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  uint64_t *fields = spgc_ref_memory(spgc_handle_get(pair));
  fields[2] = address; /* a reference, by the descriptor */
  spgc_check_copy(spgc_handle_get(pair), fields + 1, 3 * sizeof *fields, "f.c:1: g");
  fields[1] = address; /* a number */
  spgc_check_copy(spgc_handle_get(pair), fields + 1, sizeof *fields, "f.c:2: h");
}

static const struct fatal_row misused[] = {
    {release_twice, "spgc_global_handle_release: global handle"},
    {release_nothing, "spgc_global_handle_release: (nil) is not a global handle"},
    {release_a_scoped_handle, "is not a global handle"},
    {release_within_a_handle, "is not a global handle"},
    {close_scopes_out_of_order, "spgc_scope_close: a scope at height"},
    {pin_what_a_closed_scope_held, "it was read from a handle whose scope was closed"},
    {detach_in_blocking, "spgc_thread_detach: the calling thread is in spgc_call_blocking"},
    {detach_in_managed, "spgc_thread_detach: the thread is in spgc_call_managed"},
    {go_back_without_having_left, "spgc_call_managed outside spgc_call_blocking"},
    {block_without_function, "spgc_call_blocking: no function is given"},
    {stop_while_attached, "spgc_stop: threads are attached: 1"},
    {collect_what_there_is_not, "spgc_collect: there is no collection of kind 7"},
    {read_no_statistics, "spgc_statistics_read: no structure for the statistics is given"},
    {parse_no_options, "spgc_options_parse: no options"},
    {unpin_what_is_not_pinned, "spgc_unpin: object"},
    {hash_within_an_object, "spgc_identity_hash: "},
    {measure_what_is_no_object, "spgc_object_size: 0 is not an object: it is outside the heap"},
    {measure_within_an_object, "it leads into an object"},
    {store_outside_the_heap, "is not a field of an object"},
    {exchange_outside_the_heap, "spgc_exchange: "},
    {compare_outside_the_heap, "spgc_compare_exchange: "},
    {compare_with_nothing, "spgc_compare_exchange: no expected reference is given"},
    {walk_a_fiber_without_visitor, "spgc_fiber_walk: no visitor is given"},
    {count_in_no_ranges, "spgc_types_count: no array of 2 ranges is given"},
    {load_no_module, "spgc_module_load: no module is given"},
    {unload_no_module, "spgc_module_unload: no module is given"},
    {protect_nothing, "spgc_protect: no function is given"},
    {select_an_unknown_walk, "spgc_walk_select: there is no walk 77"},
    {use_a_destroyed_map, "spgc_weak_map_count: there is no weak map"},
    {create_no_map, "spgc_weak_map_create: no structure for the map is given"},
    {register_no_module, "spgc_module_register: no module"},
    {add_a_fork_lock_twice, "spgc_fork_lock_add: the lock was added before"},
    {add_no_fork_lock, "spgc_fork_lock_add: no lock is given"},
    {add_code_names_twice, "spgc_code_names_add: the names were added before"},
    {add_code_names_at_null, "spgc_code_names_add: the 3 names are at null"},
    {add_no_code_names, "spgc_code_names_add: no names are given"},
    {remove_no_code_names, "spgc_code_names_remove: no names are given"},
    {remove_code_names_that_were_not_added, "spgc_code_names_remove: the names were not added"},
    {add_variable_names_twice, "spgc_variable_names_add: the names were added before"},
    {add_no_variable_names, "spgc_variable_names_add: no names are given"},
    {remove_names_of_functions_as_those_of_variables,
     "spgc_variable_names_remove: the names were not added"},
    {give_an_array_no_tail, "spgc_allocate_array: the type has no tail"},
    {add_roots_that_are_not_cleared, "spgc_roots_add: the range has `reserved` members"},
    {count_roots_at_null, "a table has 3 words at null"},
    {unregister_no_module, "spgc_module_unregister: no module"},
    {take_an_address_for_a_number, "f.c:2: h, and 0x"},
    {keep_an_address_among_numbers, "f.c:2: h, and 0x"},
    {copy_an_address_as_a_number, "f.c:2: h, and 0x"},
};

START_TEST(misuse_is_named) {
  check_is_fatal(misused[_i].body, misused[_i].call);
}
END_TEST

/* Wrong descriptors, found by the first allocation that is not inline. */

static const uint32_t beyond[] = {24}, unaligned[] = {12}, header[] = {0}, descending[] = {16, 8},
                      first[] = {0};

static const struct type_row {
  struct spgc_type type;
  const char *wrong;
} wrong_types[] = {
    {{.size = 0}, "its size is 0 or is not a multiple of 8"},
    {{.size = 20}, "its size is 0 or is not a multiple of 8"},
    {{.size = 16, .field_names = 8}, "field_names is not the offset of a member after it"},
    {{.size = 16, .field_names = 52}, "field_names is not the offset of a member after it"},
    {{.size = 16, .flags = 1u << 9}, "cannot be used"},
    {{.size = 24, .reference_count = 1, .reference_offsets = beyond},
     "an offset that is unaligned, out of order or out"},
    {{.size = 24, .reference_count = 1, .reference_offsets = unaligned},
     "an offset that is unaligned"},
    {{.size = 24, .reference_count = 1, .reference_offsets = header},
     "an offset that is unaligned"},
    {{.size = 24, .reference_count = 2, .reference_offsets = descending},
     "an offset that is unaligned, out of order"},
    {{.size = 24, .reference_count = 9, .reference_offsets = beyond},
     "more references than the object has words"},
    {{.size = 24, .reference_count = 1}, "offsets are not readable"},
    {{.size = 16, .flags = SPGC_TYPE_TAIL, .element_size = 8, .element_reference_count = 1},
     "offsets are not readable"},
    {{.size = 8, .flags = SPGC_TYPE_TAIL, .element_size = 8}, "no room for the length"},
    {{.size = 16, .flags = SPGC_TYPE_TAIL_VALUES}, "a tail without the flag"},
    {{.size = 16,
      .flags = SPGC_TYPE_TAIL,
      .element_size = 12,
      .element_reference_count = 1,
      .element_reference_offsets = first},
     "elements with references whose size is not a multiple of 8"},
};

static const struct spgc_type *wrong_type;

static void allocate_wrong(void) {
  world_open("");
  spgc_allocate(wrong_type);
}

static void allocate_wrong_array(void) {
  world_open("");
  spgc_allocate_array(wrong_type, 0);
}

static void allocate_wrong_from_generated_code(void) {
  world_open("");
  spgc_allocate_slow(wrong_type, 0);
}

START_TEST(descriptors_are_looked_at) {
  wrong_type = &wrong_types[_i].type;
  check_is_fatal(allocate_wrong, "spgc_allocate: the type descriptor at");
  check_is_fatal(allocate_wrong, wrong_types[_i].wrong);
  check_is_fatal(allocate_wrong_array, "spgc_allocate_array: the type descriptor at");
  check_is_fatal(allocate_wrong_from_generated_code, "spgc_allocate_slow: the type descriptor at");
}
END_TEST

START_TEST(no_descriptor_is_no_type) {
  wrong_type = NULL;
  check_is_fatal(allocate_wrong, "it is null");
}
END_TEST

#define COUNT(rows) ((int)(sizeof(rows) / sizeof *(rows)))

int main(void) {
  Suite *suite = suite_create("heap-misuse");
  TCase *tcase = tcase_create("misuse");
  tcase_set_timeout(tcase, 60);
  tcase_add_loop_test(tcase, calls_of_attached_threads_name_themselves_elsewhere, 0,
                      COUNT(needs_attachment));
  tcase_add_loop_test(tcase, misuse_is_named, 0, COUNT(misused));
  tcase_add_loop_test(tcase, descriptors_are_looked_at, 0, COUNT(wrong_types));
  tcase_add_test(tcase, no_descriptor_is_no_type);
  suite_add_tcase(suite, tcase);
  return suite_run(suite);
}
