#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "fatal_check.h"
#include "gc/state/runtime.h"
#include "heap/check_type.h"
#include "heap/mark_bits.h"
#include "heap/remembered/buffers.h"
#include "heap/remembered/tables.h"
#include "heap/sweep.h"
#include "heap_world.h"
#include "log_lines.h"
#include "spgc/code_name.h"
#include "spgc/fiber.h"
#include "spgc/module.h"
#include "spgc/pin.h"
#include "spgc/roots.h"
#include "tests/support/system_calls.h"

static void expect_finding(const char *message) {
  struct spgc_error error;
  ck_assert_int_eq(spgc_heap_verify(&error), SPGC_ERROR_MALFORMED);
  ck_assert_int_eq(error.code, SPGC_ERROR_MALFORMED);
  ck_assert_msg(strstr(error.message, message) != NULL, "expected \"%s\" in: %s", message,
                error.message);
  ck_assert_int_eq(spgc_heap_verify(NULL), SPGC_ERROR_MALFORMED);
}

static void plant(struct spgc_handle object, unsigned field, uint64_t word, const char *message) {
  uint64_t healthy = world_get_word(object, field);
  world_set_word(object, field, word);
  expect_finding(message);
  world_set_word(object, field, healthy);
  world_verify();
}

static void find_headers_that_are_no_descriptors(struct spgc_handle pair) {
  static const struct spgc_type odd = {.size = 12};
  static const struct spgc_type flagged = {.size = 32, .flags = 1u << 20};
  static const uint32_t outside[] = {32};
  static const struct spgc_type overreaching = {
      .size = 32, .reference_count = 1, .reference_offsets = outside};
  static const struct spgc_type no_length = {.size = 8, .element_size = 8, .flags = SPGC_TYPE_TAIL};
  plant(pair, 0, 0, "not a descriptor's address");
  plant(pair, 0, (uint64_t)&world_pair + 4, "not a descriptor's address");
  plant(pair, 0, spgc_handle_get(pair).word, "leads into the heap");
  plant(pair, 0, (uint64_t)&odd, "does not lead to a descriptor");
  plant(pair, 0, (uint64_t)&flagged, "does not lead to a descriptor");
  plant(pair, 0, (uint64_t)&overreaching, "out of range");
  plant(pair, 0, (uint64_t)&no_length, "no room for the length");
}

/* An unreadable page follows a readable one. */
static void find_headers_that_are_not_readable(struct spgc_handle pair) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(two, MAP_FAILED);
  ck_assert_int_eq(mprotect(two + page, page, PROT_NONE), 0);
  plant(pair, 0, 8, "not readable");
  plant(pair, 0, UINT64_C(0xdead57a1edead578), "not readable");
  plant(pair, 0, (uint64_t)(two + page), "not readable");
  plant(pair, 0, (uint64_t)(two + page - 8), "not readable");
  plant(pair, 0, (uint64_t)two, "does not lead to a descriptor");
  ck_assert_int_eq(munmap(two, 2 * page), 0);
}

START_TEST(bad_headers_are_found) {
  world_open("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  find_headers_that_are_no_descriptors(pair);
  find_headers_that_are_not_readable(pair);
  world_close();
}
END_TEST

static void check_name(void) {
  char name[SPGC_TYPE_NAME_BYTES];
  spgc_type_name_copy(&spgc_runtime.heap, (uintptr_t)&world_pair, name);
  ck_assert_str_eq(name, world_pair.name);
}

/* The child ends at once, because exit handlers may make other system calls. */
static void in_child(void (*body)(unsigned error), unsigned error) {
  int status;
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    body(error);
    _exit(EXIT_SUCCESS);
  }
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
}

/* As in a sandbox for threads. libunwind needs more. */
static void verify_where_other_calls_end_the_process(unsigned unused) {
  static const int forbidden[] = {
      SYS_process_vm_readv, SYS_rt_sigprocmask, SYS_mincore, SYS_msync,        SYS_read,
      SYS_pread64,          SYS_readv,          SYS_openat,  SYS_memfd_create, SYS_fcntl,
  };
  world_require("verify=full,threads=1,concurrent=off,walk=fast");
  world_open("");
  system_calls_filter(forbidden, sizeof forbidden / sizeof *forbidden, false);
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  spgc_collect(SPGC_COLLECTION_FULL);
  find_headers_that_are_no_descriptors(pair);
  find_headers_that_are_not_readable(pair);
  check_name();
  world_close();
}

START_TEST(bad_headers_are_found_where_other_calls_end_the_process) {
  in_child(verify_where_other_calls_end_the_process, 0);
}
END_TEST

static const unsigned refusals[] = {EPERM, ENOSYS, EACCES};

/* Locks that nobody waits for do without the call. */
static void verify_where_the_kernel_tells_nothing(unsigned error) {
  static const int refused[] = {SYS_futex};
  world_require("verify=full,threads=1,concurrent=off");
  world_open("");
  system_calls_refuse(refused, 1, error);
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  spgc_collect(SPGC_COLLECTION_FULL);
  find_headers_that_are_no_descriptors(pair);
  check_name();
  world_close();
}

START_TEST(a_sound_heap_is_verified_where_the_kernel_tells_nothing_of_memory) {
  in_child(verify_where_the_kernel_tells_nothing, refusals[_i]);
}
END_TEST

START_TEST(sizes_that_do_not_tile_the_block_are_found) {
  world_open("");
  struct spgc_handle bytes = spgc_handle_make(spgc_allocate_array(&world_bytes, 100));
  plant(bytes, 1, 101 + 8, "beyond the end");
  plant(bytes, 1, UINT64_MAX, "beyond the end");
  plant(bytes, 1, 8, "not a descriptor's address");
  world_close();
}
END_TEST

/* As if C wrote one word too many. */
START_TEST(the_object_in_front_of_a_damaged_one_is_named) {
  world_require("stress=none"); /* nothing moves between the two */
  world_open("");
  struct spgc_handle front = spgc_handle_make(spgc_allocate(&world_pair));
  struct spgc_handle damaged = spgc_handle_make(spgc_allocate(&world_pair));
  ck_assert_uint_eq(spgc_handle_get(front).word + world_pair.size, spgc_handle_get(damaged).word);
  plant(front, world_pair.size / SPGC_WORD_BYTES, 42, "not a descriptor's address. Before it is");
  char named[200];
  snprintf(named, sizeof named, "the object at %#lx (%s, %u bytes)", spgc_handle_get(front).word,
           world_pair.name, world_pair.size);
  plant(front, world_pair.size / SPGC_WORD_BYTES, 8, named);
  world_close();
}
END_TEST

static void check_that_none_is_in_front(struct spgc_ref object) {
  struct spgc_error error;
  uintptr_t healthy = spgc_object_header(object);
  spgc_object_set_header(object, 8);
  ck_assert_int_eq(spgc_heap_verify(&error), SPGC_ERROR_MALFORMED);
  ck_assert_ptr_nonnull(strstr(error.message, "not readable"));
  ck_assert_ptr_null(strstr(error.message, "Before it"));
  spgc_object_set_header(object, healthy);
}

START_TEST(none_is_in_front_of_a_block_s_first_object_and_of_a_large_one) {
  enum { PAIRS = 4 * SPGC_BLOCK_BYTES / 32 };
  const struct spgc_heap *heap = &spgc_runtime.heap;
  world_open_fixed("");
  world_new_list(PAIRS);
  struct spgc_handle large = spgc_handle_make(spgc_allocate_array(&world_bytes, 100000));
  uint32_t second = heap->blocks[heap->nursery.first].next;
  ck_assert_uint_ne(second, SPGC_BLOCK_NONE);
  check_that_none_is_in_front(spgc_heap_first_object(heap, second));
  check_that_none_is_in_front(spgc_handle_get(large));
  world_close();
}
END_TEST

START_TEST(references_from_closed_scopes_and_vacated_memory_are_found) {
  world_open("poison=on");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle closed = world_new_leaf(1);
  spgc_scope_close(scope);
  struct spgc_ref word = spgc_handle_get(closed);
  plant(pair, 2, word.word, "was read from a handle whose scope was closed");
  plant(pair, 3, SPGC_POISON_WORD, "was read from memory that a collection had vacated");
  struct spgc_handle root = spgc_handle_make(spgc_ref_null());
  spgc_handle_set(root, word);
  expect_finding("was read from a handle whose scope was closed");
  spgc_handle_set(root, spgc_ref_null());
  world_verify();
  world_close();
}
END_TEST

START_TEST(bad_references_are_found) {
  world_open("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  uint64_t address = spgc_handle_get(pair).word;
  plant(pair, 2, address + 8, "does not lead to the start of an object");
  plant(pair, 3, address + 4096, "does not lead to the start of an object");
  plant(pair, 2, address + 8, "(pair): its reference");
  plant(pair, 3, address + 8, " at offset 24 does not lead");
  plant(pair, 3, address + (64 << 20), "leads to free memory");
  struct spgc_handle large = spgc_handle_make(spgc_allocate_array(&world_references, 10000));
  address = spgc_handle_get(pair).word;
  plant(pair, 2, spgc_handle_get(large).word + 65536, "does not lead to the start of an object");
  plant(large, 2 + 9999, address + 8, "does not lead to the start of an object");
  world_close();
}
END_TEST

START_TEST(a_dangling_reference_is_found_after_its_object_moved) {
  world_require("born=default"); /* objects born old do not move */
  world_open("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  struct spgc_handle leaf = world_new_leaf(1);
  uint64_t stale = spgc_handle_get(leaf).word;
  spgc_collect(SPGC_COLLECTION_FULL);
  plant(pair, 2, stale, "leads to free memory");
  world_close();
}
END_TEST

START_TEST(a_large_object_of_another_size_is_found) {
  world_open("");
  struct spgc_handle large = spgc_handle_make(spgc_allocate_array(&world_bytes, 100000));
  plant(large, 1, 99000, "not the one that was allocated");
  plant(large, 1, 1 << 20, "beyond the end");
  world_close();
}
END_TEST

/* A mutator marks 3 MiB at once, so MANY_PAIRS take many steps. */
enum { PAIRS = 50000, MANY_PAIRS = 12 * PAIRS };

static bool is_old(struct spgc_ref pair) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  return spgc_heap_space(heap, spgc_heap_block_of(heap, pair.word)) == SPGC_SPACE_OLD;
}

static bool is_marked(struct spgc_ref pair) {
  return spgc_mark_bit_is_set(&spgc_runtime.heap, pair);
}

/* Its last word is marked, and a store into it shows on no card. */
static bool is_scanned(struct spgc_ref pair) {
  uintptr_t last = pair.word + world_pair.size - SPGC_WORD_BYTES;
  return is_old(pair) && is_marked(spgc_ref_from_word(last)) &&
         *spgc_card_of(&spgc_runtime.heap, pair.word) == SPGC_CARD_CLEAN &&
         *spgc_card_of(&spgc_runtime.heap, last) == SPGC_CARD_CLEAN;
}

/* An old pair that the marking has scanned, and one that it has not reached; or null. */
struct halves {
  struct spgc_handle scanned, unmarked;
};

static struct halves find_halves(struct spgc_handle array) {
  struct halves found = {spgc_handle_make(spgc_ref_null()), spgc_handle_make(spgc_ref_null())};
  for (unsigned i = 0; i < MANY_PAIRS; i++) {
    struct spgc_ref pair = world_get(array, 2 + i);
    if (spgc_ref_is_null(pair))
      continue;
    if (is_scanned(pair))
      spgc_handle_set(found.scanned, pair);
    else if (is_old(pair) && !is_marked(pair))
      spgc_handle_set(found.unmarked, pair);
  }
  return found;
}

static struct halves reach_middle_of_marking(struct spgc_handle array) {
  enum { PERIOD = 10000 };
  for (unsigned i = 0;; i++) {
    struct spgc_ref pair = spgc_allocate(&world_pair);
    world_set(array, 2 + i % MANY_PAIRS, pair);
    if (i % PERIOD != 0 || !spgc_runtime.cycle.marker.active)
      continue;
    struct halves found = find_halves(array);
    if (!spgc_ref_is_null(spgc_handle_get(found.scanned)) &&
        !spgc_ref_is_null(spgc_handle_get(found.unmarked)))
      return found;
  }
}

START_TEST(a_store_that_a_marking_misses_is_found) {
  world_open_fixed("nursery=64k,limit=128m,concurrent=off");
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, MANY_PAIRS));
  struct halves halves = reach_middle_of_marking(array);
  world_verify();
  plant(halves.scanned, 2, spgc_handle_get(halves.unmarked).word,
        "leads from a marked object to an unmarked one, but its card is clean");
  world_close();
}
END_TEST

/* ---- Blocks that are not swept yet ---- */

static void reach_final_mark(struct spgc_handle array) {
  enum { STRIDE = 7919 };
  for (unsigned i = 0; world_old_collections() == 0; i++) {
    world_set(array, 2 + i * STRIDE % PAIRS, spgc_allocate(&world_pair));
    for (int garbage = 0; garbage < 8; garbage++)
      spgc_allocate(&world_leaf);
  }
}

static uint32_t count_unswept(void) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  uint32_t count = 0;
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    count += heap->blocks[i].unswept;
  return count;
}

/* The last unswept block with a dead object. Survivors go to others first. */
static uint32_t last_unswept(void) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  uint32_t last = SPGC_BLOCK_NONE;
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    if (heap->blocks[i].unswept && heap->blocks[i].live != SPGC_BLOCK_BYTES)
      last = i;
  return last;
}

/* The first tile of an unswept block that is unmarked memory, where a dead object begins, or that
 * is not. */
static struct spgc_ref find_tile(uint32_t index, bool is_dead) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  struct spgc_ref tile = spgc_heap_first_object(heap, index);
  while (spgc_tile_is_unswept(heap, index, tile) != is_dead)
    tile = spgc_tile_next(heap, index, tile);
  ck_assert_uint_eq(spgc_heap_block_of(heap, tile.word), index);
  return tile;
}

/* Without the last word's bit, a sweep would take a marked object for dead. */
static void find_a_missing_mark(struct spgc_handle pair) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  uintptr_t last = spgc_handle_get(pair).word + world_pair.size - SPGC_WORD_BYTES;
  size_t word = (last - heap->base) / SPGC_WORD_BYTES;
  *spgc_mark_bits_of(heap, word) ^= UINT64_C(1) << word % SPGC_MARK_BITS;
  expect_finding("it is marked, but some of its words are not");
  *spgc_mark_bits_of(heap, word) ^= UINT64_C(1) << word % SPGC_MARK_BITS;
  world_verify();
}

/* Between it and `pair` is a dead one. */
static struct spgc_ref object_after(uint32_t index, struct spgc_handle pair) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  struct spgc_ref tile = spgc_handle_get(pair);
  while (!spgc_tile_is_unswept(heap, index, tile))
    tile = spgc_tile_next(heap, index, tile);
  tile = spgc_tile_next(heap, index, tile);
  ck_assert_uint_eq(spgc_heap_block_of(heap, tile.word), index);
  return tile;
}

static void find_blocks_that_no_sweep_will_reach(void) {
  uint32_t next = spgc_runtime.heap.unswept;
  spgc_runtime.heap.unswept = SPGC_BLOCK_NONE;
  expect_finding("is not swept, although the sweep has passed it");
  spgc_runtime.heap.unswept = next;
  world_verify();
}

/* The only reference is on a card of an unswept block. */
static void collect_by_a_card(struct spgc_handle pair) {
  struct spgc_scope scope = spgc_scope_open();
  world_set(pair, 2, spgc_handle_get(world_new_leaf(42)));
  spgc_scope_close(scope);
  uintptr_t young = world_get(pair, 2).word;
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_ne(world_get(pair, 2).word, young);
  ck_assert_uint_eq(world_get_word(spgc_handle_make(world_get(pair, 2)), 1), 42);
}

START_TEST(unswept_blocks_are_verified_and_stay_unswept) {
  world_open_fixed("nursery=256k,limit=16m,concurrent=off,verify=none");
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, PAIRS));
  reach_final_mark(array);
  spgc_runtime.options.verify = SPGC_VERIFY_FULL;
  uint32_t unswept = count_unswept(), index = last_unswept();
  ck_assert_uint_gt(unswept, 1);
  world_verify();
  ck_assert_uint_eq(count_unswept(), unswept);
  struct spgc_handle pair = spgc_handle_make(find_tile(index, false));
  struct spgc_ref dead = find_tile(index, true);
  ck_assert_uint_eq(world_get_word(pair, 0), (uint64_t)&world_pair);
  plant(pair, 2, dead.word, "leads to memory where a marking found no live object");
  plant(pair, 2, dead.word + 8, "leads to memory where a marking found no live object");
  plant(pair, 0, 0, "not a descriptor's address");
  check_that_none_is_in_front(object_after(index, pair));
  struct spgc_handle root = spgc_handle_make(dead);
  expect_finding("leads to memory where a marking found no live object");
  spgc_handle_set(root, spgc_ref_null());
  find_a_missing_mark(pair);
  find_blocks_that_no_sweep_will_reach();
  collect_by_a_card(pair);
  ck_assert(spgc_runtime.heap.blocks[index].unswept);
  spgc_sweep_block(&spgc_runtime.heap, index);
  plant(pair, 2, dead.word, "leads to free memory");
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(count_unswept(), 0);
  world_close();
}
END_TEST

static struct spgc_ref global;
static const struct spgc_global_roots roots[] = {{&global, 1}};
static struct spgc_module module = {
    .version = SPGC_MODULE_VERSION, .roots = roots, .root_count = 1};

START_TEST(bad_roots_are_found) {
  ck_assert_int_eq(spgc_module_register(&module, 0, NULL), SPGC_OK);
  world_open("");
  struct spgc_handle leaf = world_new_leaf(1);
  struct spgc_ref inside = spgc_ref_from_word(spgc_handle_get(leaf).word + 8);
  struct spgc_handle scoped = spgc_handle_make(inside);
  expect_finding("scoped handle");
  spgc_handle_set(scoped, spgc_ref_null());
  struct spgc_handle lasting = spgc_global_handle_make(inside);
  expect_finding("global handle");
  spgc_global_handle_release(lasting);
  global = inside;
  expect_finding("global variable at ");
  const struct spgc_code_name name = {(uintptr_t)&global, sizeof global, "table"};
  struct spgc_code_names names = {.names = &name, .count = 1};
  spgc_variable_names_add(&names);
  expect_finding("global variable table at ");
  spgc_variable_names_remove(&names);
  global = spgc_ref_null();
  world_close();
  spgc_module_unregister(&module);
}
END_TEST

START_TEST(a_card_of_a_group_with_a_clean_group_card_is_found) {
  world_open("");
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, 10000));
  spgc_collect(SPGC_COLLECTION_FULL);
  for (int i = 0; i <= SPGC_MOST_GROUP_STORES; i++)
    world_set(array, 2 + 9999, spgc_handle_get(world_new_leaf(1)));
  spgc_remembered_open_cards(&spgc_runtime.heap);
  uintptr_t field = (uintptr_t)world_field(array, 2 + 9999);
  uint8_t *group_card = (uint8_t *)(spgc_thread.group_cards + (field >> SPGC_GROUP_CARD_SHIFT));
  world_verify();
  *group_card = SPGC_CARD_CLEAN;
  expect_finding("has dirty cards, and its group card is clean");
  *group_card = SPGC_CARD_DIRTY;
  world_verify();
  spgc_collect(SPGC_COLLECTION_MINOR);
  uint8_t *card = (uint8_t *)(spgc_thread.cards + (field >> SPGC_CARD_SHIFT));
  *card = SPGC_CARD_DEFERRED;
  *group_card = SPGC_CARD_CLEAN;
  expect_finding("has deferred cards, and its group card is clean");
  *group_card = SPGC_CARD_DEFERRED;
  world_verify();
  world_close();
}
END_TEST

static void collect_with_a_bad_reference(void) {
  world_open("verify=full");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  world_set_word(pair, 2, spgc_handle_get(pair).word + 8);
  spgc_collect(SPGC_COLLECTION_MINOR);
}

static void collect_without_a_barrier(void) {
  world_open("verify=full");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  spgc_collect(SPGC_COLLECTION_FULL);
  world_set_word(pair, 2, spgc_handle_get(world_new_leaf(1)).word);
  spgc_collect(SPGC_COLLECTION_MINOR);
}

START_TEST(collections_verify_when_asked_and_abort) {
  check_is_fatal(collect_with_a_bad_reference, "before the collection: object at");
  check_is_fatal(collect_without_a_barrier, "a write barrier is missing");
}
END_TEST

/* ---- Code that was not lowered ---- */

static void allocate_until_a_collection(uint64_t length) {
  spgc_allocate(&world_leaf); /* dies in it */
  for (uint64_t old = world_usual_collections(); world_usual_collections() == old;)
    spgc_allocate_array(&world_references, length);
}

static void allocate_small(void) {
  allocate_until_a_collection(1);
}

static void allocate_large(void) {
  allocate_until_a_collection(1 << 16);
}

static void collect_by_call(void) {
  spgc_allocate(&world_leaf);
  spgc_collect(SPGC_COLLECTION_MINOR);
}

static void collect_for_memory_later(void) {
  collect_by_call();
  allocate_small();
}

static void allocate_with_a_handle(void) {
  world_new_leaf(1);
  allocate_small();
}

/* Before the first of them, a collection has nothing young. */
static void hold_the_only_object(void) {
  spgc_handle_make(spgc_allocate(&world_leaf));
}

static void allocate_with_a_global_handle(void) {
  struct spgc_handle handle = spgc_global_handle_make(spgc_ref_null());
  allocate_small();
  spgc_global_handle_release(handle);
}

static void allocate_with_a_pin(void) {
  spgc_pin(spgc_allocate(&world_leaf), NULL);
  allocate_small();
}

static void allocate_with_a_range(void) {
  static struct spgc_roots range = {.first = &global, .count = 1, .name = "range"};
  spgc_roots_add(&range);
  allocate_small();
  spgc_roots_remove(&range);
}

static void allocate_with_a_module(void) {
  ck_assert_int_eq(spgc_module_register(&module, 0, NULL), SPGC_OK);
  allocate_small();
  spgc_module_unregister(&module);
}

static struct spgc_fiber_end end_at_once(void *value) {
  return (struct spgc_fiber_end){.to = value};
}

static void allocate_with_a_fiber(void) {
  struct spgc_fiber *fiber;
  ck_assert_int_eq(spgc_fiber_create(end_at_once, NULL, SPGC_FIBER_STACK_LEAST, &fiber, NULL),
                   SPGC_OK);
  allocate_small();
  spgc_fiber_release(fiber);
}

/* Programs without roots are told so only if memory is short. */
static const struct rootless {
  const char *options;
  void (*collect)(void);
  int told;
} rootless[] = {{"nursery=64k", allocate_small, 1},
                {"nursery=64k", allocate_large, 1},
                {"stress=every-allocation", allocate_small, 1},
                {"stress=every-allocation", hold_the_only_object, 0},
                {"", collect_by_call, 0},
                {"nursery=64k", collect_for_memory_later, 1},
                {"nursery=64k", allocate_with_a_handle, 0},
                {"nursery=64k", allocate_with_a_global_handle, 0},
                {"nursery=64k", allocate_with_a_pin, 0},
                {"nursery=64k", allocate_with_a_range, 0},
                {"nursery=64k", allocate_with_a_module, 0},
                {"nursery=64k", allocate_with_a_fiber, 0}};

START_TEST(a_program_without_roots_is_told_once) {
  const struct rootless *each = &rootless[_i];
  log_folder_make();
  world_open_fixed(each->options);
  int before = log_divert_errors("errors");
  each->collect();
  ck_assert_int_eq(log_count(log_path("errors"), "finds no root: no lowered code"), each->told);
  each->collect();
  ck_assert_int_eq(log_count(log_path("errors"), "finds no root"), each->told);
  log_restore_errors(before);
  world_close();
  log_folder_remove();
}
END_TEST

int main(void) {
  enum { REFUSALS = sizeof refusals / sizeof *refusals };
  Suite *suite = suite_create("heap-verify");
  TCase *tcase = tcase_create("verification");
  tcase_set_timeout(tcase, 30);
  tcase_add_test(tcase, bad_headers_are_found);
  tcase_add_test(tcase, the_object_in_front_of_a_damaged_one_is_named);
  tcase_add_test(tcase, none_is_in_front_of_a_block_s_first_object_and_of_a_large_one);
  tcase_add_test(tcase, references_from_closed_scopes_and_vacated_memory_are_found);
  tcase_add_test(tcase, sizes_that_do_not_tile_the_block_are_found);
  tcase_add_test(tcase, bad_references_are_found);
  tcase_add_test(tcase, a_dangling_reference_is_found_after_its_object_moved);
  tcase_add_test(tcase, a_large_object_of_another_size_is_found);
  tcase_add_test(tcase, a_store_that_a_marking_misses_is_found);
  tcase_add_test(tcase, unswept_blocks_are_verified_and_stay_unswept);
  tcase_add_test(tcase, bad_roots_are_found);
  tcase_add_test(tcase, a_card_of_a_group_with_a_clean_group_card_is_found);
  tcase_add_test(tcase, collections_verify_when_asked_and_abort);
  tcase_add_loop_test(tcase, a_program_without_roots_is_told_once, 0,
                      sizeof rootless / sizeof *rootless);
  suite_add_tcase(suite, tcase);
  TCase *filtered = tcase_create("filtered system calls");
  tcase_set_tags(filtered, "seccomp");
  tcase_set_timeout(filtered, 30);
  tcase_add_test(filtered, bad_headers_are_found_where_other_calls_end_the_process);
  tcase_add_loop_test(filtered, a_sound_heap_is_verified_where_the_kernel_tells_nothing_of_memory,
                      0, REFUSALS);
  suite_add_tcase(suite, filtered);
  return suite_run(suite);
}
