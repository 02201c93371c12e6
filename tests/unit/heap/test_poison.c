#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check_main.h"
#include "gc/state/runtime.h"
#include "heap_world.h"
#include "spgc/pin.h"
#include "tests/support/fatal_check.h"

static sigjmp_buf escape;

static void trap(int signal_number) {
  siglongjmp(escape, 1);
}

/* AddressSanitizer must not see the access, because it would report it before the fault
 * (stale_main.c). */
__attribute__((no_sanitize("address"))) static bool read_traps(uintptr_t address) {
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

/* The sanitizer's former handler aborts. */
#ifdef __SANITIZE_ADDRESS__
enum { LAST_SIGNAL = SIGABRT };
#else
enum { LAST_SIGNAL = SIGSEGV };
#endif

static uintptr_t stale_address;

__attribute__((no_sanitize("address"))) static void read_stale(void) {
  (void)*(volatile uint64_t *)stale_address;
}

__attribute__((format(printf, 2, 3))) static void check_read(uintptr_t address, const char *words,
                                                             ...) {
  char said[200], message[300];
  va_list arguments;
  va_start(arguments, words);
  vsnprintf(said, sizeof said, words, arguments);
  va_end(arguments);
  snprintf(message, sizeof message, "a stale reference was used: %#" PRIxPTR " %s", address, said);
  stale_address = address;
  check_ends_by(read_stale, LAST_SIGNAL, message);
}

START_TEST(a_stale_reference_to_a_moved_object_says_when_it_moved) {
  world_open("poison=on");
  struct spgc_handle leaf = world_new_leaf(1);
  uintptr_t stale = spgc_handle_get(leaf).word;
  spgc_collect(SPGC_COLLECTION_MINOR);
  uint64_t last = world_statistics().collections;
  check_read(stale + 8,
             "(byte 8 of 16) was a leaf, moved in collection %" PRIu64 " of %" PRIu64
             ". See docs/debugging.md",
             last, last);
  world_close();
}
END_TEST

START_TEST(a_stale_reference_to_an_object_that_moved_and_died_says_so_for_each_place) {
  world_open("poison=on,move=always");
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle leaf = world_new_leaf(1);
  uintptr_t stale = spgc_handle_get(leaf).word;
  spgc_collect(SPGC_COLLECTION_MINOR);
  uint64_t moved = world_statistics().collections;
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_collect(SPGC_COLLECTION_MINOR);
  uintptr_t place = spgc_handle_get(leaf).word;
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_MINOR);
  uint64_t last = world_statistics().collections;
  check_read(stale,
             "(byte 0 of 16) was a leaf, moved in collection %" PRIu64 " of %" PRIu64 ". See ",
             moved, last);
  check_read(place,
             "(byte 0 of 16) was a leaf, died in collection %" PRIu64 " of %" PRIu64 ". See ", last,
             last);
  world_close();
}
END_TEST

START_TEST(a_stale_reference_to_a_large_object_says_when_it_died) {
  world_open("poison=on");
  uintptr_t stale = spgc_allocate_array(&world_bytes, 200000).word;
  spgc_collect(SPGC_COLLECTION_FULL);
  uint64_t last = world_statistics().collections;
  check_read(stale + 100000,
             "(byte 100000 of 200016) was a bytes, died in collection %" PRIu64 " of %" PRIu64 ". ",
             last, last);
  world_close();
}
END_TEST

/* The block is freed later. */
START_TEST(a_stale_reference_to_the_neighbour_of_a_pinned_object_says_when_it_died) {
  world_open("poison=on");
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle pinned = world_new_leaf(1);
  uintptr_t stale = spgc_allocate(&world_leaf).word;
  ck_assert_int_eq(spgc_pin(spgc_handle_get(pinned), NULL), SPGC_OK);
  spgc_collect(SPGC_COLLECTION_MINOR);
  uint64_t died = world_statistics().collections;
  spgc_unpin(spgc_handle_get(pinned));
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_FULL);
  check_read(stale, "(byte 0 of 16) was a leaf, died in collection %" PRIu64 " of %" PRIu64 ". ",
             died, world_statistics().collections);
  world_close();
}
END_TEST

/* A descriptor may be freed when its last object has died. */
START_TEST(a_descriptor_may_be_gone_when_a_stale_reference_is_used) {
  world_open("poison=on");
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  struct spgc_type *type =
      mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(type, MAP_FAILED);
  *type = (struct spgc_type){.size = 24};
  uintptr_t stale = spgc_allocate(type).word;
  spgc_collect(SPGC_COLLECTION_FULL);
  check_read(stale, "(byte 0 of 24) was an object of an unnamed type, died in collection ");
  ck_assert_int_eq(munmap(type, page), 0);
  check_read(stale, "(byte 0 of 24) was an object of a type that is gone, died in collection ");
  world_close();
}
END_TEST

START_TEST(an_object_that_the_record_has_lost_is_told_by_its_block) {
  world_open_fixed("poison=on,limit=2m,nursery=64k");
  stale_address = spgc_handle_get(world_new_leaf(1)).word;
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_collect(SPGC_COLLECTION_MINOR);
  memset(spgc_runtime.heap.vacated.entries, 0, SPGC_MOST_VACATED * sizeof(struct spgc_vacated));
  char message[80];
  snprintf(message, sizeof message, "which collection 1 of %" PRIu64 " vacated. ",
           world_statistics().collections);
  check_ends_by(read_stale, LAST_SIGNAL, message);
  check_read(stale_address, "is in block ");
  world_close();
}
END_TEST

START_TEST(an_address_that_no_object_has_had_is_told_by_its_block) {
  world_open_fixed("poison=on,limit=2m,nursery=64k");
  spgc_collect(SPGC_COLLECTION_MINOR);
  const struct spgc_heap *heap = &spgc_runtime.heap;
  const uint32_t blocks[] = {0, heap->low_water - 1, heap->high_water, heap->block_count - 1};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
    stale_address = spgc_heap_block_start(heap, blocks[i]);
    check_ends_by(read_stale, LAST_SIGNAL, "which no collection has vacated. ");
  }
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

static struct sigaction chained;

static void chain(int signal_number, siginfo_t *fault, void *context) {
  static unsigned calls;
  if (++calls > 10)
    _exit(EXIT_FAILURE);
  chained.sa_sigaction(signal_number, fault, context);
}

static void install_chain(void) {
  struct sigaction mine = {.sa_sigaction = chain, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &mine, &chained);
  ck_assert_ptr_ne(chained.sa_sigaction, chain);
}

static void read_stale_object(void) {
  struct spgc_handle leaf = world_new_leaf(1);
  uintptr_t stale = spgc_handle_get(leaf).word;
  spgc_collect(SPGC_COLLECTION_MINOR);
  check_read(stale, "(byte 0 of 16) was a leaf, moved in collection ");
}

START_TEST(a_fault_ends_though_a_handler_of_the_program_leads_back) {
  world_open("poison=on");
  install_chain();
  read_stale_object();
  for (int starts = 2; starts <= 4; starts++) {
    world_close();
    world_open("poison=on");
    read_stale_object();
  }
  world_close();
}
END_TEST

/* The program removes its handler later, or never. */
START_TEST(a_fault_ends_though_the_handler_of_a_former_heap_is_put_back) {
  world_open("poison=on");
  install_chain();
  world_close();
  sigaction(SIGSEGV, &chained, NULL);
  world_open("poison=on");
  read_stale_object();
  world_close();
  struct sigaction mine = {.sa_sigaction = chain, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &mine, NULL);
  world_open("poison=on");
  read_stale_object();
  world_close();
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
           a_stale_reference_to_a_moved_object_says_when_it_moved,
           a_stale_reference_to_an_object_that_moved_and_died_says_so_for_each_place,
           a_stale_reference_to_a_large_object_says_when_it_died,
           a_stale_reference_to_the_neighbour_of_a_pinned_object_says_when_it_died,
           a_descriptor_may_be_gone_when_a_stale_reference_is_used,
           an_object_that_the_record_has_lost_is_told_by_its_block,
           an_address_that_no_object_has_had_is_told_by_its_block,
           the_signal_is_the_programs_again_when_the_heap_stops,
           a_fault_ends_though_a_handler_of_the_program_leads_back,
           a_fault_ends_though_the_handler_of_a_former_heap_is_put_back,
           poisoned_memory_is_used_again, without_poison_stale_memory_stays_readable)
