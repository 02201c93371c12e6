#include "heap_world.h"

#include <check.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spgc/weak.h"

static const uint32_t pair_references[] = {16, 24};
static const uint32_t first_word[] = {0};
static const uint32_t third_word[] = {16};
static const uint32_t record_references[] = {0, 16};
static const uint32_t holder_references[] = {24};

const struct spgc_type world_leaf = {.size = 16, .name = "leaf"};
const struct spgc_type world_pair = {
    .size = 32, .reference_count = 2, .reference_offsets = pair_references, .name = "pair"};
const struct spgc_type world_references = {.size = 16,
                                           .element_size = 8,
                                           .flags = SPGC_TYPE_TAIL,
                                           .element_reference_count = 1,
                                           .element_reference_offsets = first_word,
                                           .name = "references"};
const struct spgc_type world_bytes = {.size = 16, .element_size = 1, .flags = SPGC_TYPE_TAIL, .name = "bytes"};
const struct spgc_type world_values = {.size = 24, .flags = SPGC_TYPE_VALUES, .name = "values"};
const struct spgc_type world_value_array = {.size = 24,
                                            .element_size = 8,
                                            .flags = SPGC_TYPE_TAIL | SPGC_TYPE_VALUES | SPGC_TYPE_TAIL_VALUES,
                                            .name = "value array"};
const struct spgc_type world_records = {.size = 24,
                                        .element_size = 24,
                                        .flags = SPGC_TYPE_TAIL,
                                        .reference_count = 1,
                                        .reference_offsets = third_word,
                                        .element_reference_count = 2,
                                        .element_reference_offsets = record_references,
                                        .name = "records"};
const struct spgc_type world_holder = {
    .size = 32, .reference_count = 1, .reference_offsets = holder_references, .name = "holder"};

void world_open_at(void *base, const char *text) {
  struct spgc_options options;
  struct spgc_error error;
  spgc_options_default(&options);
  enum spgc_result result = spgc_options_parse(&options, text, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  result = spgc_start(&options, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  result = spgc_thread_attach(base, &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
}

void world_verify(void) {
  struct spgc_error error;
  bool consistent = spgc_heap_verify(&error);
  ck_assert_msg(consistent, "%s", error.message);
}

void world_close(void) {
  world_verify();
  spgc_thread_detach();
  spgc_stop();
}

static bool environment_says(const char *option) {
  const char *environment = getenv("SPGC_OPTIONS");
  return environment != NULL && strstr(environment, option) != NULL;
}

bool world_is_stressed(void) {
  return environment_says("stress=every-allocation");
}

bool world_verifies(void) {
  return environment_says("verify=full");
}

struct spgc_statistics world_statistics(void) {
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  return statistics;
}

void *world_field(struct spgc_handle object, unsigned word) {
  return (uint64_t *)spgc_ref_memory(spgc_handle_get(object)) + word;
}

struct spgc_ref world_get(struct spgc_handle object, unsigned word) {
  return spgc_slot_load(spgc_slot_at(world_field(object, word)));
}

void world_set(struct spgc_handle object, unsigned word, struct spgc_ref value) {
  spgc_store(spgc_slot_at(world_field(object, word)), value);
}

uint64_t world_get_word(struct spgc_handle object, unsigned word) {
  return *(uint64_t *)world_field(object, word);
}

void world_set_word(struct spgc_handle object, unsigned word, uint64_t value) {
  *(uint64_t *)world_field(object, word) = value;
}

struct spgc_handle world_new_leaf(uint64_t number) {
  struct spgc_handle leaf = spgc_handle_make(spgc_allocate(&world_leaf));
  world_set_word(leaf, 1, number);
  return leaf;
}

struct spgc_handle world_new_list(uint64_t count) {
  struct spgc_handle head = spgc_handle_make(spgc_ref_null());
  while (count-- != 0) {
    struct spgc_ref pair = spgc_allocate(&world_pair);
    if (spgc_ref_is_null(pair))
      ck_abort_msg("no memory for the list");
    uint64_t *words = spgc_ref_memory(pair);
    words[1] = count;
    words[2] = spgc_handle_get(head).word; /* a new object needs no barrier */
    spgc_handle_set(head, pair);
  }
  return head;
}

void world_check_list(struct spgc_handle list, uint64_t count) {
  struct spgc_ref pair = spgc_handle_get(list);
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t *words = spgc_ref_memory(pair);
    if (!spgc_is_heap_reference(pair) || words[0] != (uint64_t)&world_pair || words[1] != i)
      ck_abort_msg("element %" PRIu64 " of the list is not what it was", i); /* no assertion: Check logs each */
    pair = spgc_ref_from_word(words[2]);
  }
  ck_assert(spgc_ref_is_null(pair));
}

struct spgc_handle world_new_holder(struct spgc_handle referent) {
  struct spgc_handle holder = spgc_handle_make(spgc_allocate(&world_holder));
  struct spgc_error error;
  enum spgc_result result =
      spgc_weak_bind(spgc_handle_get(holder), WORLD_WEAK_OFFSET, spgc_handle_get(referent), &error);
  ck_assert_msg(result == SPGC_OK, "%s", error.message);
  return holder;
}

struct spgc_ref world_weak_referent(struct spgc_handle holder) {
  return spgc_weak_get(spgc_handle_get(holder), WORLD_WEAK_OFFSET);
}

void world_churn(uint64_t full) {
  enum { KEPT = 4096 };
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle ring = spgc_handle_make(spgc_allocate_array(&world_references, KEPT));
  uint64_t goal = world_statistics().full_collections + full;
  for (unsigned i = 0; world_statistics().full_collections < goal; i++) {
    struct spgc_ref bytes = spgc_allocate_array(&world_bytes, 200);
    world_set(ring, 2 + i % KEPT, bytes);
  }
  spgc_scope_close(scope);
}

uint64_t world_collect_moved(enum spgc_collection kind) {
  uint64_t before = world_statistics().moved_bytes;
  spgc_collect(kind);
  return world_statistics().moved_bytes - before;
}

uint64_t world_resident_bytes(void) {
  FILE *file = fopen("/proc/self/statm", "r");
  ck_assert_ptr_nonnull(file);
  uint64_t all, resident;
  ck_assert_int_eq(fscanf(file, "%" SCNu64 " %" SCNu64, &all, &resident), 2);
  fclose(file);
  return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}
