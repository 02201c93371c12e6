/* Under poison=on a stale reference cannot be read: vacated memory is inaccessible until it is used
 * again. */
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "check_main.h"
#include "heap_world.h"
#include "tests/support/fatal_check.h"

static sigjmp_buf escape;

static void trap(int signal_number) {
  siglongjmp(escape, 1);
}

/* Whether reading the word faults. */
static bool read_traps(uintptr_t address) {
  struct sigaction action = {.sa_handler = trap}, before;
  sigaction(SIGSEGV, &action, &before);
  bool trapped = true;
  if (sigsetjmp(escape, 1) == 0) {
    (void)*(volatile uint64_t *)address;
    trapped = false;
  }
  sigaction(SIGSEGV, &before, NULL);
  return trapped;
}

START_TEST(a_stale_reference_to_a_moved_object_traps) {
  world_open("poison=on");
  struct spgc_handle leaf = world_new_leaf(1);
  uintptr_t stale = spgc_handle_get(leaf).word;
  ck_assert(!read_traps(stale));
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert(read_traps(stale));
  ck_assert(!read_traps(spgc_handle_get(leaf).word));
  ck_assert_uint_eq(world_get_word(leaf, 1), 1);
  world_close();
}
END_TEST

START_TEST(a_dead_large_object_traps) {
  world_open("poison=on");
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle large = spgc_handle_make(spgc_allocate_array(&world_bytes, 200000));
  uintptr_t start = spgc_handle_get(large).word;
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert(read_traps(start));
  ck_assert(read_traps(start + 199000));
  world_close();
}
END_TEST

/* The address sanitizer's handler was there before the heap's, and aborts. */
#ifdef __SANITIZE_ADDRESS__
enum { LAST_SIGNAL = SIGABRT };
#else
enum { LAST_SIGNAL = SIGSEGV };
#endif

static uintptr_t stale_address;

static void read_stale(void) {
  (void)*(volatile uint64_t *)stale_address;
}

START_TEST(a_stale_reference_is_named_before_the_process_ends) {
  world_open("poison=on");
  struct spgc_handle leaf = world_new_leaf(1);
  stale_address = spgc_handle_get(leaf).word;
  spgc_collect(SPGC_COLLECTION_MINOR);
  uint64_t collections = world_statistics().collections;
  char message[120];
  snprintf(message, sizeof message, "collection %" PRIu64 " of %" PRIu64 " vacated", collections,
           collections);
  check_ends_by(read_stale, LAST_SIGNAL, message);
  snprintf(message, sizeof message, "a stale reference was used: %#" PRIxPTR " lies in block ",
           stale_address);
  check_ends_by(read_stale, LAST_SIGNAL, message);
  world_close();
}
END_TEST

static void ignore(int signal_number) {
}

START_TEST(the_signal_is_the_programs_again_when_the_heap_stops) {
  struct sigaction mine = {.sa_handler = ignore}, now;
  sigaction(SIGSEGV, &mine, NULL);
  world_open("poison=on");
  sigaction(SIGSEGV, NULL, &now);
  ck_assert(now.sa_handler != ignore);
  world_close();
  sigaction(SIGSEGV, NULL, &now);
  ck_assert(now.sa_handler == ignore);
  world_open("poison=on");
  sigaction(SIGSEGV, &mine, NULL);
  world_close();
  sigaction(SIGSEGV, NULL, &now);
  ck_assert(now.sa_handler == ignore);
}
END_TEST

START_TEST(poisoned_memory_is_used_again) {
  world_open("poison=on,limit=8m,nursery=64k");
  uint64_t length = world_amount(5000, 1000, 50);
  for (int i = 0; i < 100; i++) {
    struct spgc_scope scope = spgc_scope_open();
    world_check_list(world_new_list(length), length);
    ck_assert(!spgc_ref_is_null(spgc_allocate_array(&world_bytes, 100000)));
    spgc_scope_close(scope);
  }
  world_close();
}
END_TEST

START_TEST(without_poison_stale_memory_stays_readable) {
  world_require("poison=off");
  world_open("");
  struct spgc_handle leaf = world_new_leaf(1);
  uintptr_t stale = spgc_handle_get(leaf).word;
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert(!read_traps(stale));
  world_close();
}
END_TEST

CHECK_MAIN("heap-poison", a_stale_reference_to_a_moved_object_traps, a_dead_large_object_traps,
           a_stale_reference_is_named_before_the_process_ends,
           the_signal_is_the_programs_again_when_the_heap_stops, poisoned_memory_is_used_again,
           without_poison_stale_memory_stays_readable)
