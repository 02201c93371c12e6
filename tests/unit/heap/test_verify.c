/* Verification finds corruption of every kind, and names it. */
#include <string.h>

#include "check_main.h"
#include "fatal_check.h"
#include "heap_world.h"
#include "spgc/module.h"

static void expect_finding(const char *message) {
  struct spgc_error error;
  ck_assert(!spgc_heap_verify(&error));
  ck_assert_int_eq(error.code, SPGC_ERROR_MALFORMED);
  ck_assert_msg(strstr(error.message, message) != NULL, "expected \"%s\" in: %s", message,
                error.message);
  ck_assert(!spgc_heap_verify(NULL));
}

/* Plants `word` at a field, expects the finding, heals it. */
static void plant(struct spgc_handle object, unsigned field, uint64_t word, const char *message) {
  uint64_t healthy = world_get_word(object, field);
  world_set_word(object, field, word);
  expect_finding(message);
  world_set_word(object, field, healthy);
  world_verify();
}

START_TEST(bad_headers_are_found) {
  world_open("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  static const struct spgc_type odd = {.size = 12};
  static const struct spgc_type flagged = {.size = 32, .flags = 1u << 20};
  static const uint32_t outside[] = {32};
  static const struct spgc_type overreaching = {
      .size = 32, .reference_count = 1, .reference_offsets = outside};
  static const struct spgc_type no_length = {.size = 8, .element_size = 8, .flags = SPGC_TYPE_TAIL};
  plant(pair, 0, 0, "no descriptor's address");
  plant(pair, 0, 8, "not readable");
  plant(pair, 0, (uint64_t)&world_pair + 4, "no descriptor's address");
  plant(pair, 0, UINT64_C(0xdead57a1edead578), "not readable");
  plant(pair, 0, spgc_handle_get(pair).word, "leads into the heap");
  plant(pair, 0, (uint64_t)&odd, "does not lead to a descriptor");
  plant(pair, 0, (uint64_t)&flagged, "does not lead to a descriptor");
  plant(pair, 0, (uint64_t)&overreaching, "out of range");
  plant(pair, 0, (uint64_t)&no_length, "no room for the length");
  world_close();
}
END_TEST

START_TEST(sizes_that_do_not_tile_the_block_are_found) {
  world_open("");
  struct spgc_handle bytes = spgc_handle_make(spgc_allocate_array(&world_bytes, 100));
  plant(bytes, 1, 101 + 8, "beyond the end");
  plant(bytes, 1, UINT64_MAX, "beyond the end");
  plant(bytes, 1, 8, "no descriptor's address");
  world_close();
}
END_TEST

START_TEST(bad_references_are_found) {
  world_open("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  uint64_t address = spgc_handle_get(pair).word;
  plant(pair, 2, address + 8, "does not lead to the start of an object");
  plant(pair, 3, address + 4096, "does not lead to the start of an object");
  plant(pair, 3, address + (64 << 20), "leads to free memory");
  struct spgc_handle large = spgc_handle_make(spgc_allocate_array(&world_references, 10000));
  address = spgc_handle_get(pair).word;
  plant(pair, 2, spgc_handle_get(large).word + 65536, "does not lead to the start of an object");
  plant(large, 2 + 9999, address + 8, "does not lead to the start of an object");
  world_close();
}
END_TEST

START_TEST(a_dangling_reference_is_found_after_its_object_moved) {
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
  plant(large, 1, 99000, "not what was allocated");
  plant(large, 1, 1 << 20, "beyond the end");
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
  expect_finding("global variable");
  global = spgc_ref_null();
  world_close();
  spgc_module_unregister(&module);
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

CHECK_MAIN("heap-verify", bad_headers_are_found, sizes_that_do_not_tile_the_block_are_found,
           bad_references_are_found, a_dangling_reference_is_found_after_its_object_moved,
           a_large_object_of_another_size_is_found, bad_roots_are_found,
           collections_verify_when_asked_and_abort)
