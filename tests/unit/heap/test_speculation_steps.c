/* Speculations that are rolled back after any number of steps: every byte of the nursery is as
 * before. */
#include <stdlib.h>
#include <string.h>

#include "check_main.h"
#include "gc/trace/evacuate.h"
#include "heap/blocks.h"
#include "heap/card.h"
#include "heap/condemn.h"
#include "heap_world.h"

enum { DEPTH = 14, NODES = (1 << DEPTH) - 1, NUMBER = 1, FIRST = 2, SECOND = 3 };

/* A tree of pairs in the nursery, as a thread would have allocated it, and an old pair that refers
 * to its root. */
struct scene {
  struct spgc_heap heap;
  uintptr_t root, old;
  uint64_t nodes;             /* each has a number of its own */
  uint32_t open;              /* the nursery block objects are put in, or SPGC_BLOCK_NONE */
  struct spgc_marker *marker; /* of a marking under way, or NULL */
};

static uint64_t *words_of(uintptr_t object) {
  return (uint64_t *)object;
}

static uintptr_t new_pair(struct scene *scene, uintptr_t first, uintptr_t second) {
  struct spgc_heap *heap = &scene->heap;
  if (scene->open == SPGC_BLOCK_NONE ||
      heap->blocks[scene->open].top + world_pair.size > SPGC_BLOCK_BYTES)
    scene->open = spgc_blocks_take_nursery(heap);
  ck_assert_uint_ne(scene->open, SPGC_BLOCK_NONE);
  struct spgc_block *block = &heap->blocks[scene->open];
  uintptr_t object = spgc_heap_block_start(heap, scene->open) + block->top;
  block->top += world_pair.size;
  spgc_object_set_header(spgc_ref_from_word(object), (uintptr_t)&world_pair);
  words_of(object)[NUMBER] = scene->nodes++;
  words_of(object)[FIRST] = first;
  words_of(object)[SECOND] = second;
  return object;
}

static uintptr_t new_tree(struct scene *scene, unsigned depth) {
  if (depth == 0)
    return 0;
  uintptr_t first = new_tree(scene, depth - 1), second = new_tree(scene, depth - 1);
  return new_pair(scene, first, second);
}

static void begin_minor(struct scene *scene, struct spgc_evacuation *evacuation) {
  spgc_condemn_nursery(&scene->heap);
  spgc_evacuation_begin(evacuation, &scene->heap, scene->marker, NULL);
}

static void roll_back(struct scene *scene, struct spgc_evacuation *evacuation) {
  spgc_speculation_roll_back(evacuation);
  spgc_restore_nursery(&scene->heap);
}

static void open_scene(struct scene *scene) {
  static struct spgc_evacuation evacuation;
  *scene = (struct scene){.open = SPGC_BLOCK_NONE};
  ck_assert(spgc_heap_create(&scene->heap, 256 << 20, SIZE_MAX, world_poisons()));
  scene->old = new_pair(scene, 0, 0);
  ck_assert(spgc_blocks_prepare(&scene->heap, 64));
  begin_minor(scene, &evacuation);
  spgc_evacuation_forward(&evacuation, spgc_slot_at(&scene->old));
  spgc_evacuation_drain(&evacuation);
  spgc_evacuation_end(&evacuation);
  spgc_blocks_free_condemned(&scene->heap);
  scene->open = SPGC_BLOCK_NONE;
  scene->root = new_tree(scene, DEPTH);
  words_of(scene->old)[SECOND] = scene->root;
  *spgc_card_of(&scene->heap, scene->old) = SPGC_CARD_DIRTY;
  scene->heap.group_cards[(scene->old - scene->heap.base) >> SPGC_GROUP_CARD_SHIFT] =
      SPGC_CARD_DIRTY;
}

static void begin(struct scene *scene, struct spgc_evacuation *evacuation) {
  ck_assert(spgc_blocks_prepare(&scene->heap, 64));
  begin_minor(scene, evacuation);
  ck_assert(spgc_worklist_provide_all(&scene->heap.undo_log));
  spgc_speculation_begin(evacuation);
}

/* The blocks of the nursery, one after the other. */
static unsigned char *save_nursery(const struct spgc_heap *heap) {
  unsigned char *saved = malloc((size_t)heap->nursery.count * SPGC_BLOCK_BYTES), *next = saved;
  for (uint32_t i = heap->nursery.first; i != SPGC_BLOCK_NONE;
       i = heap->blocks[i].next, next += SPGC_BLOCK_BYTES)
    memcpy(next, (const void *)spgc_heap_block_start(heap, i), heap->blocks[i].top);
  return saved;
}

static void check_nursery(const struct spgc_heap *heap, const unsigned char *saved) {
  for (uint32_t i = heap->nursery.first; i != SPGC_BLOCK_NONE;
       i = heap->blocks[i].next, saved += SPGC_BLOCK_BYTES) {
    ck_assert_int_eq(spgc_heap_space(heap, i), SPGC_SPACE_NURSERY);
    ck_assert_mem_eq(saved, (const void *)spgc_heap_block_start(heap, i), heap->blocks[i].top);
  }
}

static uint64_t count_tree(uintptr_t node, uint64_t *sum) {
  if (node == 0)
    return 0;
  ck_assert_ptr_eq(spgc_object_type(spgc_ref_from_word(node)), &world_pair);
  *sum += words_of(node)[NUMBER];
  return 1 + count_tree(words_of(node)[FIRST], sum) + count_tree(words_of(node)[SECOND], sum);
}

static void check_tree(const struct scene *scene) {
  uint64_t sum = 0;
  ck_assert_uint_eq(count_tree(scene->root, &sum), NODES);
  ck_assert_uint_eq(sum, scene->nodes * (scene->nodes - 1) / 2);
  ck_assert_uint_eq(words_of(scene->old)[SECOND], scene->root);
}

/* Continues from the old pair's card to the end, so that everything has moved. */
static void finish(struct scene *scene, struct spgc_evacuation *evacuation) {
  uintptr_t root = scene->root;
  spgc_evacuation_scan_cards(evacuation);
  spgc_evacuation_drain(evacuation);
  spgc_evacuation_end(evacuation);
  spgc_blocks_free_condemned(&scene->heap);
  scene->root = words_of(scene->old)[SECOND];
  ck_assert_uint_ne(scene->root, root);
  ck_assert_uint_eq(evacuation->moved_objects, NODES);
  ck_assert_uint_eq(scene->heap.nursery.count, 0);
  check_tree(scene);
}

START_TEST(the_nursery_is_as_it_was_after_any_number_of_steps) {
  static struct spgc_evacuation evacuation;
  struct scene scene;
  open_scene(&scene);
  unsigned char *nursery = save_nursery(&scene.heap);
  uint32_t blocks = scene.heap.nursery.count;
  bool copied_some = false, more = true;
  for (unsigned steps = 0; more; steps += 1 + steps / 8) {
    begin(&scene, &evacuation);
    spgc_speculation_reach(&evacuation, spgc_ref_from_word(scene.root));
    for (unsigned i = 0; i < steps && more; i++)
      more = spgc_evacuator_speculate_some(&evacuation.workers[0], 1);
    copied_some |= evacuation.workers[0].moved_objects > 1 && more;
    roll_back(&scene, &evacuation);
    ck_assert_uint_eq(scene.heap.nursery.count, blocks);
    ck_assert_uint_eq(scene.heap.condemned.count, 0);
    check_nursery(&scene.heap, nursery);
  }
  ck_assert(copied_some);
  check_tree(&scene);
  free(nursery);
  spgc_heap_destroy(&scene.heap);
}
END_TEST

/* The old pair's slot is not written before the evacuation goes on; its card is still dirty then.
 */
START_TEST(a_speculation_that_ends_is_an_evacuation) {
  static struct spgc_evacuation evacuation;
  struct scene scene;
  open_scene(&scene);
  begin(&scene, &evacuation);
  ck_assert(spgc_speculation_scan_cards(&evacuation, UINT64_MAX));
  ck_assert(spgc_speculation_copy(&evacuation, UINT64_MAX));
  ck_assert_uint_eq(words_of(scene.old)[SECOND], scene.root);
  finish(&scene, &evacuation);
  spgc_heap_destroy(&scene.heap);
}
END_TEST

START_TEST(a_speculation_whose_cards_take_too_long_is_rolled_back) {
  static struct spgc_evacuation evacuation;
  struct scene scene;
  open_scene(&scene);
  unsigned char *nursery = save_nursery(&scene.heap);
  begin(&scene, &evacuation);
  ck_assert(!spgc_speculation_scan_cards(&evacuation, 0));
  roll_back(&scene, &evacuation);
  check_nursery(&scene.heap, nursery);
  begin_minor(&scene, &evacuation);
  finish(&scene, &evacuation); /* the card is still dirty */
  free(nursery);
  spgc_heap_destroy(&scene.heap);
}
END_TEST

START_TEST(what_was_copied_in_vain_is_written_over_or_garbage) {
  static struct spgc_evacuation evacuation;
  struct scene scene;
  open_scene(&scene);
  begin(&scene, &evacuation);
  ck_assert(spgc_speculation_scan_cards(&evacuation, UINT64_MAX));
  ck_assert(!spgc_speculation_copy(&evacuation, 0));
  roll_back(&scene, &evacuation);
  begin(&scene, &evacuation);
  ck_assert(spgc_speculation_scan_cards(&evacuation, UINT64_MAX));
  spgc_evacuator_speculate_some(&evacuation.workers[0], 40);
  roll_back(&scene, &evacuation);
  ck_assert_uint_eq(evacuation.moved_objects, 0);
  begin_minor(&scene, &evacuation);
  finish(&scene, &evacuation);
  spgc_heap_destroy(&scene.heap);
}
END_TEST

/* The tree's pairs refer to one another, so the marking meets each both as a copy and as a child.
 */
START_TEST(a_marking_counts_each_copy_once) {
  static struct spgc_evacuation evacuation;
  static struct spgc_marker marker;
  struct scene scene;
  open_scene(&scene);
  ck_assert(spgc_marker_create(&marker, &scene.heap));
  spgc_marker_begin(&marker, false);
  scene.marker = &marker;
  begin(&scene, &evacuation);
  ck_assert(spgc_speculation_scan_cards(&evacuation, UINT64_MAX));
  ck_assert(spgc_speculation_copy(&evacuation, UINT64_MAX));
  finish(&scene, &evacuation);
  spgc_mark(&marker.scanners[0], spgc_ref_from_word(scene.old), SPGC_TRACE_SERIAL);
  spgc_marker_drain(&marker);
  size_t live_bytes = 0, pairs = NODES + 1; /* the old one, too */
  for (uint32_t i = spgc_old_first(&scene.heap); i != SPGC_BLOCK_NONE;
       i = spgc_old_after(&scene.heap, i))
    live_bytes += scene.heap.blocks[i].live;
  ck_assert_uint_eq(live_bytes, pairs * world_pair.size);
  ck_assert_uint_eq(spgc_marker_bytes(&marker), live_bytes);
  spgc_marker_destroy(&marker);
  spgc_heap_destroy(&scene.heap);
}
END_TEST

CHECK_MAIN("heap-speculation-steps", the_nursery_is_as_it_was_after_any_number_of_steps,
           a_speculation_that_ends_is_an_evacuation,
           a_speculation_whose_cards_take_too_long_is_rolled_back,
           what_was_copied_in_vain_is_written_over_or_garbage, a_marking_counts_each_copy_once)
