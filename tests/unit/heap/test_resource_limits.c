/* Real limits of the process (setrlimit). */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check_main.h"
#include "heap/worklist.h"
#include "heap_world.h"
#include "log_lines.h"

enum { MIB = 1 << 20 };

/* /proc/self/statm: field 0 is the address space, field 5 the data. */
static size_t process_bytes(int field) {
  size_t fields[7];
  FILE *file = fopen("/proc/self/statm", "re");
  ck_assert_ptr_nonnull(file);
  for (int i = 0; i < 7; i++)
    ck_assert_int_eq(fscanf(file, "%zu", &fields[i]), 1);
  fclose(file);
  return fields[field] * (size_t)sysconf(_SC_PAGESIZE);
}

static void set_limit(int resource, rlim_t bytes) {
  struct rlimit limit;
  ck_assert_int_eq(getrlimit((__rlimit_resource_t)resource, &limit), 0);
  limit.rlim_cur = bytes;
  ck_assert_int_eq(setrlimit((__rlimit_resource_t)resource, &limit), 0);
}

static void leave_data(size_t bytes) {
  set_limit(RLIMIT_DATA, process_bytes(5) + bytes);
}

static void unlimit_data(void) {
  set_limit(RLIMIT_DATA, RLIM_INFINITY);
}

static int hook_calls;

static void count_hook_calls(void *context, size_t requested) {
  hook_calls++;
}

static void allocate_garbage(uint64_t bytes, uint64_t large_bytes) {
  for (uint64_t done = 0; done < bytes; done += 1024) {
    ck_assert_msg(!spgc_ref_is_null(spgc_allocate_array(&world_bytes, 1024 - 16)),
                  "none after %lu bytes", (unsigned long)done);
    if (large_bytes != 0 && done % MIB == 0)
      ck_assert_msg(!spgc_ref_is_null(spgc_allocate_array(&world_bytes, large_bytes)),
                    "none after %lu bytes", (unsigned long)done);
  }
}

/* The garbage to make, in multiples of what the system leaves. */
static uint64_t times(void) {
  return world_is_stressed() || world_verifies() ? 2 : 16;
}

START_TEST(garbage_is_found_whatever_little_data_the_system_leaves) {
  const uint64_t left[] = {1, 3, 8, 2, 5, 16, 30};
  for (size_t i = 0;
       i < (world_is_stressed() || world_verifies() ? 2 : sizeof left / sizeof left[0]); i++)
    for (uint64_t large = 0; large <= left[i] * MIB / 4; large += left[i] * MIB / 4) {
      world_open("limit=512m");
      spgc_set_out_of_memory_hook(count_hook_calls, NULL);
      world_verify(); /* maps memory, which is not under test */
      leave_data(left[i] * MIB);
      allocate_garbage(times() * left[i] * MIB, large);
      ck_assert_int_eq(hook_calls, 0);
      struct spgc_statistics statistics = world_statistics();
      ck_assert_uint_ge(statistics.collections, times() / 2);
      ck_assert_uint_le(statistics.peak_heap_bytes, left[i] * MIB + MIB);
      unlimit_data();
      world_close();
    }
}
END_TEST

START_TEST(garbage_is_found_beside_what_lives) {
  const uint64_t left[] = {4, 8, 24};
  for (size_t i = 0; i < (world_is_stressed() ? 1 : 3); i++) {
    world_open("limit=512m");
    spgc_set_out_of_memory_hook(count_hook_calls, NULL);
    world_verify();
    leave_data(left[i] * MIB);
    uint64_t count = left[i] * MIB / 3 / world_pair.size / world_amount(1, 8, 64);
    struct spgc_handle list = world_new_list(count);
    allocate_garbage(times() * left[i] * MIB, 100000);
    world_check_list(list, count);
    ck_assert_int_eq(hook_calls, 0);
    unlimit_data();
    world_close();
  }
}
END_TEST

START_TEST(blocks_that_hold_little_are_vacated_without_memory_for_copies) {
  enum { LEFT = 8 };
  world_open_fixed("limit=512m,nursery=64m");
  spgc_set_out_of_memory_hook(count_hook_calls, NULL);
  world_verify();
  leave_data(LEFT * MIB);
  struct spgc_handle kept = spgc_handle_make(spgc_ref_null());
  uint64_t count = 0;
  while (world_old_collections() == 0) {
    struct spgc_ref pair = spgc_allocate(&world_pair);
    ck_assert(!spgc_ref_is_null(pair));
    uint64_t *words = spgc_ref_memory(pair);
    words[1] = count++;
    words[2] = spgc_handle_get(kept).word;
    spgc_handle_set(kept, pair);
    allocate_garbage(30 * 1024, 0);
  }
  ck_assert_uint_gt(world_statistics().in_place_collections, 0);
  ck_assert_uint_gt(count, LEFT * MIB / (33 * 1024) / 2);
  allocate_garbage(LEFT * MIB * 8, LEFT * MIB / 4);
  ck_assert_uint_gt(world_statistics().moved_objects, count / 2);
  ck_assert_int_eq(hook_calls, 0);
  for (struct spgc_ref at = spgc_handle_get(kept); count-- != 0;) {
    const uint64_t *words = spgc_ref_memory(at);
    ck_assert_uint_eq(words[1], count);
    at = spgc_ref_from_word(words[2]);
  }
  unlimit_data();
  world_close();
}
END_TEST

START_TEST(the_heap_grows_again_when_the_system_grants_more) {
  world_open_fixed("limit=512m");
  spgc_set_out_of_memory_hook(count_hook_calls, NULL);
  world_verify();
  leave_data(4 * MIB);
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  uint64_t count = world_fill(list);
  ck_assert_int_eq(hook_calls, 1);
  ck_assert_uint_gt(count * world_element_bytes(), 3 * MIB);
  ck_assert_uint_gt(world_statistics().in_place_collections, 0);
  spgc_handle_set(list, spgc_ref_null());
  unlimit_data();
  enum { MANY = 64 * MIB / 32 };
  struct spgc_handle longer = world_new_list(MANY);
  world_check_list(longer, MANY);
  ck_assert_int_eq(hook_calls, 1);
  world_close();
}
END_TEST

START_TEST(half_of_the_address_space_is_the_programs) {
  const uint64_t left[] = {100, 300, 1200, 4000};
  for (size_t i = 0; i < world_amount(4, 4, 2); i++)
    for (int chosen = 0; chosen < 2; chosen++) {
      set_limit(RLIMIT_AS, process_bytes(0) + left[i] * MIB);
      world_open(chosen ? "limit=16m" : "");
      world_check_list(world_new_list(1000), 1000);
      void *mine =
          mmap(NULL, left[i] * MIB * 45 / 100, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      ck_assert_msg(mine != MAP_FAILED, "of %lu MiB", (unsigned long)left[i]);
      allocate_garbage(times() * 2 * MIB, 100000);
      munmap(mine, left[i] * MIB * 45 / 100);
      set_limit(RLIMIT_AS, RLIM_INFINITY);
      world_close();
    }
}
END_TEST

START_TEST(a_limit_that_takes_more_than_half_of_the_address_space_is_refused) {
  struct spgc_options options;
  struct spgc_error error;
  spgc_options_default(&options);
  options.heap_limit = 200 * MIB;
  set_limit(RLIMIT_AS, process_bytes(0) + 600 * MIB);
  ck_assert_int_eq(spgc_start(&options, &error), SPGC_ERROR_NO_MEMORY);
  ck_assert_ptr_nonnull(strstr(error.message, "RLIMIT_AS"));
  options.heap_limit = 100 * MIB;
  ck_assert_int_eq(spgc_start(&options, &error), SPGC_OK);
  spgc_stop();
}
END_TEST

/* Without a heap limit, with little data from the start. */
START_TEST(a_heap_starts_in_little_data) {
  const uint64_t left[] = {6, 12, 30};
  for (size_t i = 0; i < world_amount(3, 3, 1); i++)
    for (int chosen = 0; chosen < 2; chosen++) {
      leave_data(left[i] * MIB);
      world_open(chosen ? "limit=512m" : "");
      spgc_set_out_of_memory_hook(count_hook_calls, NULL);
      allocate_garbage(times() * left[i] * MIB, left[i] * MIB / 8);
      ck_assert_int_eq(hook_calls, 0);
      unlimit_data();
      world_close();
    }
}
END_TEST

START_TEST(the_log_says_that_the_limit_came_from_one_of_the_process) {
  log_folder_make();
  leave_data(100 * MIB);
  world_open(log_settings("summary", "data", ""));
  unlimit_data();
  world_close();
  log_check(log_path("data"), "^spgc: limit: [0-9]{5} KiB, half of what RLIMIT_DATA leaves$", 1);
  set_limit(RLIMIT_AS, process_bytes(0) + 300 * MIB);
  world_open(log_settings("summary", "space", ""));
  set_limit(RLIMIT_AS, RLIM_INFINITY);
  world_close();
  log_check(log_path("space"),
            "^spgc: limit: [0-9]+ KiB, halved until the system granted the address space$", 1);
  log_folder_remove();
}
END_TEST

START_TEST(the_system_may_shorten_a_stack) {
  struct spgc_worklist stack = {0};
  leave_data(8 * MIB);
  ck_assert(spgc_worklist_provide(&stack));
  ck_assert_uint_lt(stack.capacity, SPGC_WORKLIST_ENTRIES);
  spgc_worklist_destroy(&stack);
  unlimit_data();
  stack = (struct spgc_worklist){0};
  ck_assert(spgc_worklist_provide(&stack));
  ck_assert_uint_eq(stack.capacity, SPGC_WORKLIST_ENTRIES);
  spgc_worklist_destroy(&stack);
}
END_TEST

START_TEST(locked_pages_stay) {
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0)
    return; /* it takes a privilege */
  world_open("limit=24m");
  struct spgc_handle list = world_new_list(1000);
  for (int i = 0; i < 3; i++) {
    allocate_garbage(times() * 4 * MIB, 100000);
    spgc_collect(SPGC_COLLECTION_FULL);
  }
  world_check_list(list, 1000);
  world_close();
  munlockall();
}
END_TEST

static uint64_t fill_mappings(void) {
  uint64_t count = 0;
  int protection = PROT_NONE;
  while (mmap(NULL, 4096, protection ^= PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
         MAP_FAILED)
    count++;
  return count;
}

START_TEST(as_many_mappings_as_may_be_leave_the_heap_at_work) {
  world_open("limit=64m,poison=on");
  spgc_set_out_of_memory_hook(count_hook_calls, NULL);
  struct spgc_handle list = world_new_list(1000);
  ck_assert_uint_gt(fill_mappings(), 1000);
  allocate_garbage(times() * 4 * MIB, 100000);
  spgc_collect(SPGC_COLLECTION_FULL);
  allocate_garbage(times() * 4 * MIB, 1 * MIB);
  world_check_list(list, 1000);
  ck_assert_int_eq(hook_calls, 0);
}
END_TEST

CHECK_MAIN_WITHIN(
    120, "heap-resource-limits", garbage_is_found_whatever_little_data_the_system_leaves,
    garbage_is_found_beside_what_lives,
    blocks_that_hold_little_are_vacated_without_memory_for_copies,
    the_heap_grows_again_when_the_system_grants_more, half_of_the_address_space_is_the_programs,
    a_limit_that_takes_more_than_half_of_the_address_space_is_refused, a_heap_starts_in_little_data,
    the_log_says_that_the_limit_came_from_one_of_the_process, the_system_may_shorten_a_stack,
    locked_pages_stay, as_many_mappings_as_may_be_leave_the_heap_at_work)
