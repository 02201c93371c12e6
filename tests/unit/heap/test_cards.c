/* The search for dirty cards by their groups, against a model that reads every card. */
#include "check_main.h"
#include "gc/trace/promote.h"
#include "heap/blocks.h"
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
  size_t first; /* card of the first block */
  uint8_t expected[CARDS];
  bool is_dirty[CARDS]; /* before a search, which visits objects on exactly these */
  bool is_visited[CARDS];
};

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

static void store(struct scene *scene, size_t card) {
  uintptr_t field = spgc_card_start(&scene->heap, scene->first + card);
  *(uint8_t *)(spgc_cards_biased(&scene->heap) + (field >> SPGC_CARD_SHIFT)) = SPGC_CARD_DIRTY;
  *(uint8_t *)(spgc_group_cards_biased(&scene->heap) + (field >> SPGC_GROUP_CARD_SHIFT)) =
      SPGC_CARD_DIRTY;
  scene->expected[card] = SPGC_CARD_DIRTY;
}

static void note_visit(void *context, struct spgc_ref object, uintptr_t from, uintptr_t to) {
  struct scene *scene = context;
  if (object.word >= to || spgc_object_next(object).word <= from)
    ck_abort_msg("an object without a part on the card is visited");
  scene->is_visited[((from - scene->heap.base) >> SPGC_CARD_SHIFT) - scene->first] = true;
}

static void expect_dirty_cards_become(struct scene *scene, uint8_t next) {
  for (size_t card = 0; card < CARDS; card++) {
    scene->is_visited[card] = false;
    scene->is_dirty[card] = scene->expected[card] == SPGC_CARD_DIRTY;
    if (scene->is_dirty[card])
      scene->expected[card] = next;
  }
}

static size_t count_dirty(const struct scene *scene) {
  size_t count = 0;
  for (size_t card = 0; card < CARDS; card++)
    count += scene->is_dirty[card];
  return count;
}

static void search(struct scene *scene, uint8_t next) {
  struct spgc_cards_read read = {0};
  size_t group = scene->first / SPGC_CARDS_PER_GROUP;
  expect_dirty_cards_become(scene, next);
  spgc_cards_visit_dirty(&scene->heap, group, group + GROUPS, next, note_visit, scene, &read);
  ck_assert_mem_eq(scene->is_visited, scene->is_dirty, sizeof scene->is_dirty);
  ck_assert_uint_eq(read.all, count_dirty(scene));
}

static void retire(struct scene *scene, uint8_t next) {
  expect_dirty_cards_become(scene, next);
  ck_assert_uint_eq(spgc_cards_retire_all(&scene->heap, next), count_dirty(scene));
}

static void check(const struct scene *scene) {
  ck_assert_mem_eq(scene->heap.cards + scene->first, scene->expected, CARDS);
  for (size_t group = 0; group < GROUPS; group++) {
    uint8_t state = scene->heap.group_cards[scene->first / SPGC_CARDS_PER_GROUP + group];
    for (size_t i = 0; i < SPGC_CARDS_PER_GROUP; i++) {
      uint8_t card = scene->expected[group * SPGC_CARDS_PER_GROUP + i];
      if ((card == SPGC_CARD_DIRTY && state != SPGC_CARD_DIRTY) ||
          (card == SPGC_CARD_DEFERRED && state == SPGC_CARD_CLEAN))
        ck_abort_msg("group %zu has a card of state %d, and is %d", group, card, state);
    }
  }
}

START_TEST(searches_find_dirty_cards_and_group_cards_tell_what_is_left) {
  static const uint8_t next[] = {SPGC_CARD_CLEAN, SPGC_CARD_DEFERRED, SPGC_CARD_DIRTY};
  static struct scene scene;
  struct spgc_random random = {1};
  open_scene(&scene);
  for (int step = 0; step < STEPS; step++) {
    uint64_t choice = spgc_random_next(&random) % 8;
    if (choice < 2)
      search(&scene, next[spgc_random_next(&random) % 3]);
    else if (choice < 3)
      retire(&scene, next[spgc_random_next(&random) % 2]);
    else
      for (uint64_t stores = spgc_random_next(&random) % 50; stores != 0; stores--)
        store(&scene, spgc_random_next(&random) % CARDS);
    check(&scene);
  }
  spgc_heap_destroy(&scene.heap);
}
END_TEST

CHECK_MAIN("heap-cards", searches_find_dirty_cards_and_group_cards_tell_what_is_left)
