/* Barriers and searches for cards, against a model of every card and group card. */
#include <sys/mman.h>
#include <unistd.h>

#include "check_main.h"
#include "heap/blocks.h"
#include "heap/condemn.h"
#include "heap/remembered/barrier.h"
#include "heap/remembered/deferred.h"
#include "heap/remembered/scan.h"
#include "heap_world.h"
#include "support/random.h"

enum {
  HEAP_BYTES = 64 << 20,
  BLOCKS = 12,
  GROUPS = BLOCKS * SPGC_GROUPS_PER_BLOCK,
  CARDS = BLOCKS * SPGC_CARDS_PER_BLOCK,
  STEPS = 10000
};

struct scene {
  struct spgc_heap heap;
  size_t first;
  uint8_t expected[CARDS], expected_groups[GROUPS];
  bool is_sought[CARDS]; /* exactly these have the sought state */
  bool is_visited[CARDS], is_fetched[CARDS];
};

static size_t first_group(const struct scene *scene) {
  return scene->first / SPGC_CARDS_PER_GROUP;
}

static void fill(struct spgc_heap *heap, uint32_t index) {
  uintptr_t start = spgc_heap_block_start(heap, index);
  for (uint32_t at = 0; at + world_leaf.size <= SPGC_BLOCK_BYTES; at += world_leaf.size)
    spgc_object_set_header(spgc_ref_from_word(start + at), (uintptr_t)&world_leaf);
  heap->blocks[index].top = SPGC_BLOCK_BYTES / world_leaf.size * world_leaf.size;
}

static void open_scene(struct scene *scene) {
  ck_assert(spgc_heap_create(&scene->heap, HEAP_BYTES, SIZE_MAX, world_poisons()));
  for (int i = 0; i < BLOCKS; i++)
    fill(&scene->heap, spgc_blocks_take_nursery(&scene->heap));
  spgc_promote_nursery(&scene->heap);
  uint32_t first = spgc_old_first(&scene->heap), last = first;
  for (int i = 1; i < BLOCKS; i++)
    last = spgc_old_after(&scene->heap, last);
  ck_assert_uint_eq(last, first + BLOCKS - 1);
  scene->first = (size_t)first * SPGC_CARDS_PER_BLOCK;
}

static void store(struct scene *scene, struct spgc_random *random) {
  uint64_t offset = spgc_random_next(random) % (CARDS * SPGC_CARD_BYTES),
           bytes = spgc_random_next(random) % (3 << SPGC_GROUP_CARD_SHIFT) + 1;
  if (spgc_random_next(random) % 8 != 0)
    bytes = 1;
  if (bytes > CARDS * SPGC_CARD_BYTES - offset)
    bytes = CARDS * SPGC_CARD_BYTES - offset;
  spgc_remembered_note_range(spgc_card_start(&scene->heap, scene->first) + offset, bytes);
  for (uint64_t i = offset >> SPGC_CARD_SHIFT; i <= (offset + bytes - 1) >> SPGC_CARD_SHIFT; i++) {
    scene->expected[i] = SPGC_CARD_DIRTY;
    scene->expected_groups[i / SPGC_CARDS_PER_GROUP] = SPGC_CARD_DIRTY;
  }
}

static size_t card_number(const struct scene *scene, uintptr_t address) {
  return ((address - scene->heap.base) >> SPGC_CARD_SHIFT) - scene->first;
}

static void note_visit(void *context, struct spgc_ref object, uintptr_t from, uintptr_t to) {
  struct scene *scene = context;
  if (object.word >= to || spgc_object_next(object).word <= from)
    ck_abort_msg("an object without a part on the card is visited");
  if (to - from != SPGC_CARD_BYTES)
    ck_abort_msg("a part of a card is visited");
  scene->is_visited[card_number(scene, from)] = true;
}

static bool has_card_of(const struct scene *scene, size_t group, uint8_t state) {
  return memchr(scene->expected + group * SPGC_CARDS_PER_GROUP, state, SPGC_CARDS_PER_GROUP) !=
         NULL;
}

/* Cards with a clean group card are not read, and have no other state. */
static size_t seek(struct scene *scene, uint8_t state) {
  size_t count = 0;
  for (size_t card = 0; card < CARDS; card++) {
    scene->is_visited[card] = scene->is_fetched[card] = false;
    scene->is_sought[card] = scene->expected[card] == state;
    count += scene->is_sought[card];
  }
  return count;
}

static void expect_dirty_cards_become(struct scene *scene, uint8_t next) {
  for (size_t group = 0; group < GROUPS; group++)
    if (scene->expected_groups[group] == SPGC_CARD_DIRTY) {
      bool keeps = next == SPGC_CARD_CLEAN && has_card_of(scene, group, SPGC_CARD_DEFERRED);
      scene->expected_groups[group] = keeps ? SPGC_CARD_DEFERRED : next;
    }
  for (size_t card = 0; card < CARDS; card++)
    if (scene->expected[card] == SPGC_CARD_DIRTY)
      scene->expected[card] = next;
}

static void search(struct scene *scene, uint8_t next) {
  size_t dirty = seek(scene, SPGC_CARD_DIRTY);
  expect_dirty_cards_become(scene, next);
  size_t read = spgc_cards_visit_dirty(&scene->heap, first_group(scene),
                                       first_group(scene) + GROUPS, next, note_visit, scene);
  ck_assert_mem_eq(scene->is_visited, scene->is_sought, sizeof scene->is_sought);
  ck_assert_uint_eq(read, dirty);
}

static void retire(struct scene *scene, uint8_t next) {
  size_t dirty = seek(scene, SPGC_CARD_DIRTY);
  expect_dirty_cards_become(scene, next);
  ck_assert_uint_eq(spgc_cards_retire_all(&scene->heap, next), dirty);
}

/* All fetches of a block come before its visits. */
static void note_fetch(void *context, struct spgc_ref object, uintptr_t from, uintptr_t to) {
  struct scene *scene = context;
  size_t card = card_number(scene, from), first = card - card % SPGC_CARDS_PER_BLOCK;
  if (memchr(scene->is_visited + first, true, SPGC_CARDS_PER_BLOCK) != NULL)
    ck_abort_msg("a card is fetched after a visit");
  scene->is_fetched[card] = true;
}

/* Dirty cards stay; a group card that is only deferred becomes clean. Returns the bytes that a scan
 * reads of a block. */
static size_t expect_deferred_cards_become_clean(struct scene *scene, size_t block) {
  size_t bytes = SPGC_GROUPS_PER_BLOCK;
  for (size_t i = 0; i < SPGC_GROUPS_PER_BLOCK; i++) {
    uint8_t *group = &scene->expected_groups[block * SPGC_GROUPS_PER_BLOCK + i];
    bytes += *group == SPGC_CARD_CLEAN ? 0 : SPGC_CARDS_PER_GROUP;
    if (*group == SPGC_CARD_DEFERRED)
      *group = SPGC_CARD_CLEAN;
  }
  for (size_t i = 0; i < SPGC_CARDS_PER_BLOCK; i++) {
    uint8_t *card = &scene->expected[block * SPGC_CARDS_PER_BLOCK + i];
    bytes += *card == SPGC_CARD_DEFERRED ? SPGC_CARD_BYTES : 0;
    if (*card == SPGC_CARD_DEFERRED)
      *card = SPGC_CARD_CLEAN;
  }
  return bytes;
}

static void scan_deferred(struct scene *scene, bool visits) {
  const struct spgc_deferred_visitor visitor = {note_fetch, note_visit, scene, visits};
  seek(scene, SPGC_CARD_DEFERRED);
  for (size_t block = 0; block < BLOCKS; block++) {
    uint32_t index = (uint32_t)(scene->first / SPGC_CARDS_PER_BLOCK + block);
    size_t bytes = expect_deferred_cards_become_clean(scene, block);
    ck_assert_uint_eq(spgc_deferred_cards_scan(&scene->heap, index, &visitor), bytes);
  }
  if (!visits)
    memset(scene->is_sought, 0, sizeof scene->is_sought);
  ck_assert_mem_eq(scene->is_visited, scene->is_sought, sizeof scene->is_sought);
  ck_assert_mem_eq(scene->is_fetched, scene->is_sought, sizeof scene->is_sought);
}

static void check(const struct scene *scene) {
  ck_assert_mem_eq(scene->heap.cards + scene->first, scene->expected, CARDS);
  ck_assert_mem_eq(scene->heap.group_cards + first_group(scene), scene->expected_groups, GROUPS);
}

static void open_at_cards(struct scene *scene) {
  open_scene(scene);
  spgc_thread.cards = spgc_cards_biased(&scene->heap);
  spgc_thread.group_cards = spgc_group_cards_biased(&scene->heap);
}

static void close_scene(struct scene *scene) {
  spgc_thread.cards = spgc_thread.group_cards = 0;
  spgc_heap_destroy(&scene->heap);
}

START_TEST(each_card_has_the_state_of_its_bytes) {
  static struct scene scene;
  open_scene(&scene);
  uintptr_t start = spgc_card_start(&scene.heap, scene.first);
  for (size_t card = 0; card < CARDS; card++)
    for (uintptr_t at = 0; at < SPGC_CARD_BYTES; at += SPGC_CARD_BYTES - 1)
      ck_assert_ptr_eq(spgc_card_of(&scene.heap, start + card * SPGC_CARD_BYTES + at),
                       &scene.heap.cards[scene.first + card]);
  close_scene(&scene);
}
END_TEST

/* Their cards, group cards, and counts of stores. */
START_TEST(blocks_are_cleaned_and_no_others) {
  static struct scene scene;
  open_scene(&scene);
  uint8_t *cards = scene.heap.cards + scene.first,
          *group_cards = scene.heap.group_cards + first_group(&scene),
          *stores = scene.heap.group_stores + first_group(&scene);
  for (uint32_t count = 1; count <= 3; count += 2) {
    const uint32_t cleaned = 2;
    memset(cards, SPGC_CARD_DIRTY, CARDS);
    memset(group_cards, SPGC_CARD_DIRTY, GROUPS);
    memset(stores, 1, GROUPS);
    spgc_cards_clean(&scene.heap, (uint32_t)(scene.first / SPGC_CARDS_PER_BLOCK) + cleaned, count);
    for (size_t group = 0; group < GROUPS; group++) {
      bool stays = group / SPGC_GROUPS_PER_BLOCK - cleaned >= count;
      ck_assert_uint_eq(group_cards[group], stays ? SPGC_CARD_DIRTY : SPGC_CARD_CLEAN);
      ck_assert_uint_eq(stores[group], stays);
      for (size_t i = group * SPGC_CARDS_PER_GROUP; i < (group + 1) * SPGC_CARDS_PER_GROUP; i++)
        ck_assert_uint_eq(cards[i], stays ? SPGC_CARD_DIRTY : SPGC_CARD_CLEAN);
    }
  }
  close_scene(&scene);
}
END_TEST

START_TEST(a_group_is_without_a_state_if_none_of_its_cards_has_it) {
  static const uint8_t states[] = {SPGC_CARD_DIRTY, SPGC_CARD_DEFERRED};
  _Alignas(uint64_t) uint8_t cards[SPGC_CARDS_PER_GROUP] = {0};
  for (size_t i = 0; i < 2; i++) {
    ck_assert(spgc_cards_are_without(cards, states[i]));
    for (size_t card = 0; card < SPGC_CARDS_PER_GROUP; card++) {
      cards[card] = states[i];
      ck_assert(!spgc_cards_are_without(cards, states[i]));
      ck_assert(spgc_cards_are_without(cards, states[1 - i]));
      cards[card] = SPGC_CARD_CLEAN;
    }
  }
}
END_TEST

/* At the end of readable memory, because a search reads several at once. */
START_TEST(a_dirty_group_is_found_from_each_before_it_and_none_beyond_their_lines_is_read) {
  enum { COUNT = 2 * SPGC_CARDS_PER_GROUP };
  static struct spgc_heap heap;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ck_assert_ptr_ne(pages, MAP_FAILED);
  ck_assert_int_eq(mprotect(pages + page, page, PROT_NONE), 0);
  heap.group_cards = pages + page - COUNT;
  for (size_t dirty = 0; dirty < COUNT; dirty++) {
    heap.group_cards[dirty] = SPGC_CARD_DIRTY;
    for (size_t from = 0; from <= COUNT; from++) {
      size_t expected = from <= dirty ? dirty : COUNT;
      ck_assert_uint_eq(spgc_group_cards_next(&heap, from, COUNT), expected);
    }
    heap.group_cards[dirty] = SPGC_CARD_DEFERRED;
  }
  ck_assert_int_eq(munmap(pages, 2 * page), 0);
}
END_TEST

START_TEST(dirty_groups_of_young_blocks_are_passed_over) {
  static struct scene scene;
  open_at_cards(&scene);
  uint32_t index = (uint32_t)(scene.first / SPGC_CARDS_PER_BLOCK);
  size_t first = first_group(&scene), next = spgc_first_group(index + 1);
  spgc_remembered_note_range(spgc_card_start(&scene.heap, scene.first), 2 * SPGC_BLOCK_BYTES);
  scene.heap.spaces[index] = SPGC_SPACE_NURSERY;
  for (size_t group = first; group < next; group++)
    ck_assert_uint_eq(spgc_dirty_groups_next(&scene.heap, group, first + GROUPS), next);
  scene.heap.spaces[index] = SPGC_SPACE_OLD;
  close_scene(&scene);
}
END_TEST

START_TEST(no_more_groups_are_found_than_are_prefetched_together) {
  enum { NONE = 0 };
  static struct scene scene;
  size_t groups[SPGC_PREFETCHED + 1], end;
  open_at_cards(&scene);
  size_t first = end = first_group(&scene);
  memset(scene.heap.group_cards + first, SPGC_CARD_DIRTY, SPGC_PREFETCHED + 2);
  groups[SPGC_PREFETCHED] = NONE;
  ck_assert_uint_eq(spgc_dirty_groups_find(&scene.heap, &end, first + GROUPS, groups),
                    SPGC_PREFETCHED);
  ck_assert_uint_eq(end, first + SPGC_PREFETCHED);
  for (size_t i = 0; i < SPGC_PREFETCHED; i++)
    ck_assert_uint_eq(groups[i], first + i);
  ck_assert_uint_eq(groups[SPGC_PREFETCHED], NONE);
  ck_assert_uint_eq(spgc_dirty_groups_find(&scene.heap, &end, first + GROUPS, groups), 2);
  ck_assert_uint_eq(spgc_dirty_groups_find(&scene.heap, &end, first + GROUPS, groups), 0);
  close_scene(&scene);
}
END_TEST

static uint8_t visits_of_leaves[SPGC_BLOCK_BYTES / 16];

static void count_visit(void *context, struct spgc_ref leaf, uintptr_t from, uintptr_t to) {
  visits_of_leaves[(leaf.word - *(const uintptr_t *)context) / world_leaf.size]++;
}

/* The others may have no descriptors any more. */
START_TEST(in_an_unswept_block_exactly_the_marked_objects_are_visited) {
  static struct scene scene;
  static uint8_t marked[SPGC_BLOCK_BYTES / 16];
  struct spgc_random random = {3};
  open_at_cards(&scene);
  uint32_t index = (uint32_t)(scene.first / SPGC_CARDS_PER_BLOCK);
  uintptr_t start = spgc_heap_block_start(&scene.heap, index);
  scene.heap.blocks[index].unswept = true;
  for (size_t i = 0; i < sizeof marked; i++) {
    struct spgc_ref leaf = {start + i * world_leaf.size};
    marked[i] = spgc_random_next(&random) % 8 == 0;
    if (marked[i])
      spgc_mark_bits_cover(&scene.heap, leaf, world_leaf.size, SPGC_TRACE_SERIAL);
    else
      spgc_object_set_header(leaf, 0);
  }
  spgc_remembered_note_range(start, SPGC_BLOCK_BYTES);
  spgc_cards_visit_dirty(&scene.heap, first_group(&scene), spgc_first_group(index + 1),
                         SPGC_CARD_CLEAN, count_visit, &start);
  ck_assert_mem_eq(visits_of_leaves, marked, sizeof marked);
  close_scene(&scene);
}
END_TEST

static unsigned visits_of_large;

static void count_visit_of_large(void *context, struct spgc_ref object, uintptr_t from,
                                 uintptr_t to) {
  ck_assert_uint_eq(object.word, *(const uintptr_t *)context);
  ck_assert_uint_eq(from, object.word + visits_of_large++ * (uintptr_t)SPGC_CARD_BYTES);
  ck_assert_uint_eq(to, from + SPGC_CARD_BYTES);
}

START_TEST(each_card_of_an_old_large_object_leads_to_it) {
  enum { RUN = 3, LARGE_CARDS = RUN * SPGC_CARDS_PER_BLOCK };
  static struct scene scene;
  struct spgc_heap *heap = &scene.heap;
  open_at_cards(&scene);
  uint32_t index = spgc_blocks_take_run(heap, RUN * SPGC_BLOCK_BYTES);
  struct spgc_ref large = spgc_heap_first_object(heap, index);
  size_t first = spgc_first_group(index), end = spgc_first_group(index + RUN);
  spgc_object_set_header(large, (uintptr_t)&world_references);
  spgc_remembered_note_range(large.word, RUN * SPGC_BLOCK_BYTES);
  ck_assert_uint_eq(
      spgc_cards_visit_dirty(heap, first, end, SPGC_CARD_CLEAN, count_visit_of_large, &large.word),
      0);
  spgc_promote_nursery(heap);
  spgc_remembered_note_range(large.word, RUN * SPGC_BLOCK_BYTES);
  ck_assert_uint_eq(
      spgc_cards_visit_dirty(heap, first, end, SPGC_CARD_CLEAN, count_visit_of_large, &large.word),
      LARGE_CARDS);
  ck_assert_uint_eq(visits_of_large, LARGE_CARDS);
  close_scene(&scene);
}
END_TEST

/* Another may have dirty cards though its group card is clean: those of buffered fields. */
START_TEST(what_a_group_retires_is_its_own) {
  static struct scene scene;
  open_at_cards(&scene);
  size_t group = first_group(&scene);
  uint8_t *cards = scene.heap.cards + scene.first;
  memset(cards, SPGC_CARD_DIRTY, 2 * SPGC_CARDS_PER_GROUP);
  ck_assert_uint_eq(spgc_cards_retire(&scene.heap, group, SPGC_CARD_DEFERRED),
                    SPGC_CARDS_PER_GROUP);
  ck_assert_uint_eq(scene.heap.group_cards[group], SPGC_CARD_DEFERRED);
  for (size_t i = 0; i < 2 * SPGC_CARDS_PER_GROUP; i++)
    ck_assert_uint_eq(cards[i], i < SPGC_CARDS_PER_GROUP ? SPGC_CARD_DEFERRED : SPGC_CARD_DIRTY);
  close_scene(&scene);
}
END_TEST

START_TEST(searches_find_dirty_and_deferred_cards_and_group_cards_tell_what_is_left) {
  static const uint8_t next[] = {SPGC_CARD_CLEAN, SPGC_CARD_DEFERRED, SPGC_CARD_DIRTY};
  static struct scene scene;
  struct spgc_random random = {1};
  open_at_cards(&scene);
  for (int step = 0; step < STEPS; step++) {
    uint64_t choice = spgc_random_next(&random) % 8;
    if (choice < 2)
      search(&scene, next[spgc_random_next(&random) % 3]);
    else if (choice < 3)
      retire(&scene, next[spgc_random_next(&random) % 2]);
    else if (choice < 4)
      scan_deferred(&scene, spgc_random_next(&random) % 4 != 0);
    else
      for (uint64_t stores = spgc_random_next(&random) % 50; stores != 0; stores--)
        store(&scene, &random);
    check(&scene);
  }
  close_scene(&scene);
}
END_TEST

static size_t visits;

static void note_field(void *context, struct spgc_slot field) {
  struct scene *scene = context;
  uintptr_t offset = (uintptr_t)field.location - spgc_card_start(&scene->heap, scene->first);
  scene->is_visited[offset >> SPGC_CARD_SHIFT] = true;
  visits++;
}

/* Fields with a dirty group card are left to the search of cards. */
static void visit_stored(struct scene *scene, struct spgc_random *random, uint8_t next) {
  struct spgc_slot fields[100];
  uint32_t count = (uint32_t)(spgc_random_next(random) % 100), expected = 0;
  memset(scene->is_visited, 0, sizeof scene->is_visited);
  memset(scene->is_sought, 0, sizeof scene->is_sought);
  for (uint32_t i = 0; i < count; i++) {
    size_t card = spgc_random_next(random) % CARDS, group = card / SPGC_CARDS_PER_GROUP;
    fields[i] = (struct spgc_slot){(void *)spgc_card_start(&scene->heap, scene->first + card)};
    scene->heap.group_stores[first_group(scene) + group] = 1;
    if (scene->expected_groups[group] == SPGC_CARD_DIRTY)
      continue;
    expected++;
    scene->is_sought[card] = true;
    scene->expected[card] = next;
    if (next != SPGC_CARD_CLEAN)
      scene->expected_groups[group] = next;
  }
  visits = 0;
  ck_assert_uint_eq(spgc_fields_visit_stored(&scene->heap, fields, count, next, note_field, scene),
                    expected);
  ck_assert_uint_eq(visits, expected);
  ck_assert_mem_eq(scene->is_visited, scene->is_sought, sizeof scene->is_sought);
  for (size_t group = 0; group < GROUPS; group++)
    if (scene->heap.group_stores[first_group(scene) + group] != 0)
      ck_abort_msg("the stores of group %zu are still counted", group);
}

START_TEST(stored_fields_are_visited_and_the_cards_of_others_are_read) {
  static struct scene scene;
  struct spgc_random random = {2};
  open_at_cards(&scene);
  for (int step = 0; step < STEPS; step++) {
    uint8_t next = spgc_random_next(&random) % 2 == 0 ? SPGC_CARD_CLEAN : SPGC_CARD_DEFERRED;
    store(&scene, &random);
    visit_stored(&scene, &random, next);
    check(&scene);
    if (step % 8 == 0)
      search(&scene, next);
  }
  close_scene(&scene);
}
END_TEST

CHECK_MAIN("heap-cards", each_card_has_the_state_of_its_bytes, blocks_are_cleaned_and_no_others,
           a_group_is_without_a_state_if_none_of_its_cards_has_it,
           a_dirty_group_is_found_from_each_before_it_and_none_beyond_their_lines_is_read,
           dirty_groups_of_young_blocks_are_passed_over,
           no_more_groups_are_found_than_are_prefetched_together,
           in_an_unswept_block_exactly_the_marked_objects_are_visited,
           each_card_of_an_old_large_object_leads_to_it, what_a_group_retires_is_its_own,
           searches_find_dirty_and_deferred_cards_and_group_cards_tell_what_is_left,
           stored_fields_are_visited_and_the_cards_of_others_are_read)
