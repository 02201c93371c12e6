#include <string.h>

#include "check_main.h"
#include "gc/state/runtime.h"
#include "heap/mark_bits.h"
#include "heap/remembered/buffers.h"
#include "heap/remembered/recorded.h"
#include "heap/remembered/scan.h"
#include "heap_world.h"

#define HEAP (&spgc_runtime.heap)

/* Returns its position. */
static uint64_t expect_finding(const char *message) {
  struct spgc_error error;
  ck_assert_int_eq(spgc_heap_verify(&error), SPGC_ERROR_MALFORMED);
  ck_assert_msg(strstr(error.message, message) != NULL, "expected \"%s\" in: %s", message,
                error.message);
  return error.position;
}

/* Each replaces a value, expects the finding, restores it, and returns the position. */
#define DEFINE_DAMAGE(name, type)                                                                  \
  static uint64_t name(type *place, type value, const char *message) {                             \
    type healthy = *place;                                                                         \
    *place = value;                                                                                \
    uint64_t position = expect_finding(message);                                                   \
    *place = healthy;                                                                              \
    world_verify();                                                                                \
    return position;                                                                               \
  }
DEFINE_DAMAGE(damage_byte, uint8_t)
DEFINE_DAMAGE(damage_half, uint16_t)
DEFINE_DAMAGE(damage_word, uint32_t)
DEFINE_DAMAGE(damage_address, uintptr_t)

static uint32_t block_of(struct spgc_handle object) {
  return spgc_heap_block_of(HEAP, spgc_handle_get(object).word);
}

static struct spgc_handle new_large(void) {
  return spgc_handle_make(spgc_allocate_array(&world_references, 20000));
}

START_TEST(a_verification_leaves_the_cycle_to_its_thread) {
  world_open_fixed("");
  world_verify();
  ck_assert_uint_eq(spgc_runtime.cycle.thread.claims, 0);
  world_close();
}
END_TEST

static void check_top(struct spgc_handle object) {
  damage_word(&HEAP->blocks[block_of(object)].top, SPGC_BLOCK_BYTES + SPGC_WORD_BYTES,
              "its top is beyond its end");
}

static void check_run_of(struct spgc_handle large) {
  uint32_t first = block_of(large), last = first + HEAP->blocks[first].run - 1;
  ck_assert_uint_gt(last, first + 1);
  damage_byte(&HEAP->spaces[first + 1], SPGC_SPACE_FREE, "is not part of the large object");
  damage_byte(&HEAP->spaces[last], SPGC_SPACE_FREE, "is not part of the large object");
  damage_word(&HEAP->blocks[first + 1].head, first + 1, "is not part of the large object");
  damage_word(&HEAP->blocks[last].head, first + 1, "is not part of the large object");
}

START_TEST(blocks_that_are_not_what_their_lists_say_are_found) {
  world_open_fixed("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair)), large = new_large();
  check_run_of(large);
  damage_byte(&HEAP->spaces[block_of(pair)], SPGC_SPACE_NURSERY_LARGE, "is on the list of space");
  damage_byte(&HEAP->spaces[block_of(large)], SPGC_SPACE_OLD_LARGE, "is on the list of space");
  damage_byte(&HEAP->spaces[block_of(large)], SPGC_SPACE_OLD_CANDIDATE, "is on the list of space");
  spgc_collect(SPGC_COLLECTION_FULL);
  check_top(pair);
  check_run_of(large);
  damage_byte(&HEAP->spaces[block_of(large)], SPGC_SPACE_NURSERY_LARGE, "is on the list of space");
  world_close();
}
END_TEST

/* A count has no position. */
static void check_count(uint32_t *count, const char *message) {
  ck_assert_uint_eq(damage_word(count, *count + 1, message), 0);
}

START_TEST(counts_of_blocks_are_checked) {
  world_open_fixed("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  new_large();
  spgc_collect(SPGC_COLLECTION_FULL);
  spgc_handle_set(pair, spgc_allocate(&world_pair));
  new_large();
  check_count(&HEAP->condemned.count, "blocks are condemned outside a collection");
  HEAP->condemned.count = HEAP->condemned_large.count = 1;
  expect_finding("blocks are condemned outside a collection");
  HEAP->condemned.count = HEAP->condemned_large.count = 0;
  damage_word(&HEAP->condemned_large.count, 2, "blocks are condemned outside a collection");
  check_count(&HEAP->old_blocks, "blocks are old, but");
  check_count(&HEAP->used_blocks, "blocks in use, but");
  check_count(&HEAP->large_blocks, "blocks in use, but");
  world_close();
}
END_TEST

/* As if an earlier verification had found an object there. */
static void remember_start(uintptr_t address) {
  enum { BITS = 64 };
  const struct spgc_check *check = &spgc_runtime.check;
  size_t word = (address - spgc_heap_block_start(HEAP, check->low)) / SPGC_WORD_BYTES;
  check->starts[word / BITS] |= UINT64_C(1) << word % BITS;
}

START_TEST(starts_of_earlier_objects_are_forgotten) {
  world_open_fixed("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair)), large = new_large();
  world_verify();
  uint32_t first = block_of(large);
  uintptr_t *field = world_field(pair, 2);
  for (uint32_t i = first; i < first + HEAP->blocks[first].run; i++) {
    uintptr_t inside = spgc_heap_block_start(HEAP, i) + 2 * SPGC_WORD_BYTES;
    remember_start(inside);
    damage_address(field, inside, "does not lead to the start of an object");
  }
  remember_start(spgc_handle_get(pair).word + SPGC_WORD_BYTES);
  damage_address(field, spgc_handle_get(pair).word + SPGC_WORD_BYTES,
                 "does not lead to the start of an object");
  world_close();
  ck_assert_ptr_null(spgc_runtime.check.starts);
}
END_TEST

/* Each group of a large object, and of a block of small ones. */
START_TEST(every_group_card_is_checked) {
  world_open_fixed("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair)), large = new_large();
  spgc_collect(SPGC_COLLECTION_FULL);
  uint32_t first = block_of(large), run = HEAP->blocks[first].run;
  const size_t groups[] = {spgc_first_group(block_of(pair)),
                           spgc_first_group(block_of(pair) + 1) - 1, spgc_first_group(first),
                           spgc_first_group(first + run) - 1};
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
    for (size_t card = 0; card < SPGC_CARDS_PER_GROUP; card += SPGC_CARDS_PER_GROUP - 1) {
      uint8_t *place = &HEAP->cards[groups[i] * SPGC_CARDS_PER_GROUP + card];
      damage_byte(place, SPGC_CARD_DIRTY, "has dirty cards, and its group card is clean");
      damage_byte(place, SPGC_CARD_DEFERRED, "has deferred cards, and its group card is clean");
    }
  world_close();
}
END_TEST

START_TEST(a_block_is_not_found_by_the_cards_of_the_next) {
  world_open_fixed("");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  spgc_collect(SPGC_COLLECTION_FULL);
  uint32_t next = block_of(pair) + 1;
  ck_assert_int_eq(spgc_heap_space(HEAP, next), SPGC_SPACE_FREE);
  uint8_t *card = &HEAP->cards[spgc_first_group(next) * SPGC_CARDS_PER_GROUP];
  *card = SPGC_CARD_DIRTY;
  world_verify();
  *card = SPGC_CARD_CLEAN;
  world_close();
}
END_TEST

START_TEST(a_deferred_group_has_no_dirty_cards) {
  world_open_fixed("");
  struct spgc_handle large = new_large();
  spgc_collect(SPGC_COLLECTION_FULL);
  size_t group = spgc_first_group(block_of(large));
  HEAP->group_cards[group] = SPGC_CARD_DEFERRED;
  world_verify();
  damage_byte(&HEAP->cards[group * SPGC_CARDS_PER_GROUP], SPGC_CARD_DIRTY,
              "has dirty cards, and its group card is deferred");
  HEAP->group_cards[group] = SPGC_CARD_CLEAN;
  world_close();
}
END_TEST

/* Stores null, because a young object would be found first. */
START_TEST(fields_in_store_buffers_are_checked) {
  enum { FIELDS = 3, APART = 4096 };
  world_open_fixed("");
  struct spgc_handle large = new_large();
  spgc_collect(SPGC_COLLECTION_FULL);
  for (unsigned i = 0; i < FIELDS; i++)
    world_set(large, 2 + i * APART, spgc_ref_null());
  struct spgc_handle young = spgc_handle_make(spgc_allocate(&world_pair));
  *spgc_card_of(HEAP, spgc_handle_get(young).word) = SPGC_CARD_DIRTY;
  struct spgc_store_buffer *buffer = HEAP->store_buffers;
  uintptr_t *fields = (uintptr_t *)buffer->first;
  ck_assert_uint_eq(spgc_store_buffer_count(buffer), FIELDS);
  world_verify();
  for (unsigned i = 0; i < FIELDS; i++) {
    static const char message[] = "which is not on a dirty card of an old object";
    ck_assert_uint_eq(fields[i], (uintptr_t)world_field(large, 2 + i * APART));
    damage_byte(spgc_card_of(HEAP, fields[i]), SPGC_CARD_CLEAN, message);
    damage_address(&fields[i], (uintptr_t)&buffer, message);
    damage_address(&fields[i], spgc_handle_get(young).word, message);
  }
  world_close();
}
END_TEST

/* The list's last pair dirties a card near the end of a full block. */
static struct spgc_handle new_block_of_pairs(void) {
  enum { PAIRS = 2 * SPGC_BLOCK_BYTES / 32 };
  struct spgc_handle array = spgc_handle_make(spgc_allocate_array(&world_references, PAIRS));
  for (unsigned i = 0; i < PAIRS; i++)
    world_set(array, 2 + i, spgc_allocate(&world_pair));
  spgc_collect(SPGC_COLLECTION_FULL);
  return spgc_handle_make(world_get(array, 2 + PAIRS / 2));
}

static void populate_crossing_map(uint32_t index) {
  uintptr_t last = spgc_heap_block_start(HEAP, index) + SPGC_BLOCK_BYTES - world_pair.size;
  struct spgc_handle pair = spgc_handle_make(spgc_ref_from_word(last));
  for (unsigned i = 0; i <= SPGC_MOST_GROUP_STORES; i++)
    world_set(pair, 2, spgc_handle_get(world_new_leaf(1)));
  spgc_collect(SPGC_COLLECTION_MINOR);
}

/* Objects of four words: a card of sixteen words begins with one. */
START_TEST(crossing_maps_are_checked) {
  world_open_fixed("nursery=4m,threads=1");
  uint32_t index = block_of(new_block_of_pairs());
  populate_crossing_map(index);
  uint16_t *map = HEAP->crossing_maps[index];
  uint32_t cards = (HEAP->blocks[index].crossing_map_top + SPGC_CARD_BYTES - 1) >> SPGC_CARD_SHIFT;
  enum { OBJECT_WORDS = 4, CARD_WORDS = SPGC_CARD_BYTES / SPGC_WORD_BYTES };
  const uint32_t damaged[] = {1, 2, cards - 1};
  ck_assert_uint_eq(cards, SPGC_CARDS_PER_BLOCK);
  for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
    uint16_t *entry = &map[damaged[i]], word = *entry;
    ck_assert_uint_eq(word, damaged[i] * CARD_WORDS);
    uintptr_t card = spgc_heap_block_start(HEAP, index) + damaged[i] * SPGC_CARD_BYTES;
    uint64_t position =
        damage_half(entry, (uint16_t)(word + OBJECT_WORDS), "leads to no object of card");
    ck_assert_uint_eq(position, card);
    damage_half(entry, (uint16_t)(word - OBJECT_WORDS + 1), "leads to no object of card");
    damage_half(entry, (uint16_t)(word - 1), "leads to no object of card");
    *entry = (uint16_t)(word - OBJECT_WORDS); /* an early entry */
    world_verify();
    *entry = map[damaged[i] - 1];
    world_verify();
    *entry = word;
  }
  damage_half(&map[2], map[0], "leads to no object of card"); /* entries never decrease */
  damage_half(&map[0], OBJECT_WORDS, "leads to no object of card");
  HEAP->blocks[index].crossing_map_top = 2 * SPGC_CARD_BYTES; /* as if card 2 was never looked up */
  map[2] = 0;
  world_verify();
  world_close();
}
END_TEST

enum { OBJECTS = 40000, KEPT_OF = 10, BYTES = 200 };

static void make_sparse_blocks(void) {
  struct spgc_handle pairs =
      spgc_handle_make(spgc_allocate_array(&world_references, OBJECTS / KEPT_OF));
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle all = spgc_handle_make(spgc_allocate_array(&world_references, OBJECTS));
  for (unsigned i = 0; i < OBJECTS; i++)
    world_set(all, 2 + i, spgc_allocate_array(&world_bytes, BYTES));
  spgc_collect(SPGC_COLLECTION_MINOR);
  for (unsigned i = 0; i < OBJECTS / KEPT_OF; i++) {
    struct spgc_ref pair = spgc_allocate(&world_pair);
    ((uint64_t *)spgc_ref_memory(pair))[2] = world_get(all, 2 + i * KEPT_OF).word;
    world_set(pairs, 2 + i, pair);
  }
  spgc_scope_close(scope);
}

static bool unrecorded_slots_are_found(void) {
  struct spgc_error error;
  uint32_t taken = HEAP->recorded.taken;
  HEAP->recorded.taken = 0;
  bool are_found = taken != 0 && spgc_heap_verify(&error) == SPGC_ERROR_MALFORMED;
  HEAP->recorded.taken = taken;
  return are_found;
}

/* The first may all be on cards that are yet to be scanned. */
static void reach_recorded_slots(void) {
  enum { RECENT = 20000, PERIOD = 100 };
  struct spgc_handle recent = spgc_handle_make(spgc_allocate_array(&world_references, RECENT));
  for (unsigned i = 0; i % PERIOD != 0 || !unrecorded_slots_are_found(); i++)
    world_set(recent, 2 + i % RECENT, spgc_allocate_array(&world_bytes, BYTES));
}

static void swap_chunks(uint32_t one, uint32_t other) {
  struct spgc_recorded_chunk *chunks = HEAP->recorded.chunks, kept = chunks[one];
  chunks[one] = chunks[other];
  chunks[other] = kept;
}

static bool is_missed(struct spgc_recorded_chunk *chunk) {
  uint64_t count = chunk->count;
  chunk->count = 0;
  bool is_missed = spgc_heap_verify(NULL) == SPGC_ERROR_MALFORMED;
  chunk->count = count;
  return is_missed;
}

/* All chunks that were taken are read, and no other. */
static void move_slots_to_the_first_chunk_and_the_last(void) {
  uint32_t i = 0;
  while (!is_missed(&HEAP->recorded.chunks[i]))
    ck_assert_uint_lt(++i, HEAP->recorded.taken);
  swap_chunks(0, i);
  world_verify();
  swap_chunks(0, i);
  uint32_t last = HEAP->recorded.taken - 1;
  swap_chunks(last, i);
  HEAP->recorded.taken = last; /* as if it was not taken */
  expect_finding("but was not recorded");
  HEAP->recorded.taken = last + 1;
  swap_chunks(last, i);
}

/* As the last verification has read them. */
static void check_known_slots(void) {
  enum { BITS = 64 };
  const struct spgc_check *check = &spgc_runtime.check;
  size_t words = (check->high - check->low) * (size_t)(SPGC_BLOCK_BYTES / SPGC_WORD_BYTES / BITS);
  for (uint32_t i = 0; i < HEAP->recorded.taken; i++) {
    const struct spgc_recorded_chunk *chunk = &HEAP->recorded.chunks[i];
    for (uint64_t slot = 0; slot < chunk->count; slot++) {
      uintptr_t field = (uintptr_t)chunk->slots[slot].location;
      size_t bit = (field - spgc_heap_block_start(HEAP, check->low)) / SPGC_WORD_BYTES;
      check->recorded[bit / BITS] &= ~(UINT64_C(1) << bit % BITS);
    }
  }
  for (size_t i = 0; i < words; i++)
    ck_assert_uint_eq(check->recorded[i], 0);
}

START_TEST(slots_that_were_not_recorded_are_found) {
  world_open_fixed("limit=256m,threads=1,concurrent=off,seed=1,nursery=1m,compact=always");
  make_sparse_blocks();
  reach_recorded_slots();
  world_verify();
  struct spgc_recorded *recorded = &HEAP->recorded;
  uint32_t taken = recorded->taken;
  ck_assert_uint_le(taken, recorded->capacity);
  check_known_slots();
  move_slots_to_the_first_chunk_and_the_last();
  recorded->taken = 0;
  expect_finding("leads from a scanned object into a candidate block, but was not recorded");
  check_known_slots();
  recorded->taken = recorded->capacity + 1; /* if some were lost, nothing is known */
  world_verify();
  recorded->taken = taken;
  world_verify();
  world_close();
}
END_TEST

/* In an unswept block, they tell only that its objects were live. */
START_TEST(marks_that_are_not_kept_do_not_tell_what_was_scanned) {
  world_open_fixed("concurrent=off");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  world_set(pair, 2, spgc_handle_get(world_new_leaf(1)));
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert(!HEAP->keeps_marks);
  spgc_mark_bits_cover(HEAP, spgc_handle_get(pair), world_pair.size, SPGC_TRACE_SERIAL);
  world_verify();
  world_close();
}
END_TEST

CHECK_MAIN("heap-verify-blocks", blocks_that_are_not_what_their_lists_say_are_found,
           a_verification_leaves_the_cycle_to_its_thread, counts_of_blocks_are_checked,
           starts_of_earlier_objects_are_forgotten, every_group_card_is_checked,
           a_block_is_not_found_by_the_cards_of_the_next, a_deferred_group_has_no_dirty_cards,
           fields_in_store_buffers_are_checked, crossing_maps_are_checked,
           marks_that_are_not_kept_do_not_tell_what_was_scanned,
           slots_that_were_not_recorded_are_found)
