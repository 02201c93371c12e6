#include "heap/evacuate.h"

#include <string.h>

#include "heap/blocks.h"
#include "heap/card.h"
#include "heap/lane.h"
#include "heap/object.h"
#include "support/fatal.h"

size_t spgc_evacuation_blocks(size_t bytes) {
  return spgc_blocks_for_copies(bytes, SPGC_LANES);
}

SPGC_INLINE void copy_object(uintptr_t to, uintptr_t from, size_t bytes) {
  enum { INLINE_BYTES = 64 };
  if (bytes > INLINE_BYTES) {
    memcpy((void *)to, (const void *)from, bytes);
    return;
  }
  for (size_t offset = 0; offset < bytes; offset += SPGC_WORD_BYTES)
    *(uint64_t *)(to + offset) = *(const uint64_t *)(from + offset);
}

static __attribute__((noinline)) void overflow(struct spgc_evacuation *evacuation, uintptr_t object) {
  evacuation->heap->blocks[spgc_heap_block_of(evacuation->heap, object)].copies_wait = true;
  evacuation->overflowed = true;
}

SPGC_INLINE struct spgc_lane *choose_lane(struct spgc_evacuation *evacuation, size_t bytes) {
  struct spgc_lane *lanes = evacuation->heap->lanes;
  if (__builtin_expect(evacuation->shuffle != NULL, 0))
    return &lanes[spgc_random_next(evacuation->shuffle) % SPGC_LANES];
  return &lanes[bytes > SPGC_LARGEST_IN_ROOM];
}

SPGC_INLINE uintptr_t evacuate_small(struct spgc_evacuation *evacuation, uintptr_t from, uintptr_t header) {
  const struct spgc_type *type = (const struct spgc_type *)header;
  size_t bytes = spgc_object_bytes(from, type);
  struct spgc_lane *lane = choose_lane(evacuation, bytes);
  if (__builtin_expect(bytes > lane->limit - lane->cursor, 0))
    spgc_lane_refill(evacuation->heap, lane, bytes, evacuation->shuffle != NULL || bytes > SPGC_LARGEST_IN_ROOM);
  uintptr_t to = spgc_lane_take(lane, bytes);
  copy_object(to, from, bytes);
  spgc_object_set_header(from, to);
  evacuation->moved_objects++;
  evacuation->moved_bytes += bytes;
  if (evacuation->marker != NULL)
    spgc_mark_survivor(evacuation->marker, to, bytes);
  if (__builtin_expect(evacuation->watch != NULL, 0))
    evacuation->watch->reached(evacuation->watch->context, spgc_ref_from_word(from));
  if (!spgc_type_has_references(type))
    return to;
  if (__builtin_expect(spgc_work_stack_has_room(&evacuation->heap->copied, 1), 1))
    spgc_work_stack_push(&evacuation->heap->copied, to);
  else
    overflow(evacuation, to);
  return to;
}

static __attribute__((noinline)) void relabel_large(struct spgc_evacuation *evacuation, uint32_t index) {
  struct spgc_heap *heap = evacuation->heap;
  spgc_block_list_remove(&heap->condemned_large, heap->blocks, index);
  spgc_block_list_append(&heap->gray_large, heap->blocks, index);
  heap->spaces[index] = SPGC_SPACE_OLD_LARGE;
  heap->old_large_bytes += heap->blocks[index].large_bytes;
  evacuation->relabelled_bytes += heap->blocks[index].large_bytes;
  if (evacuation->marker != NULL)
    spgc_mark_large_survivor(evacuation->marker, index);
  if (evacuation->watch != NULL)
    evacuation->watch->reached(evacuation->watch->context, spgc_ref_from_word(spgc_heap_block_start(heap, index)));
}

SPGC_INLINE void forward(struct spgc_evacuation *evacuation, struct spgc_slot slot) {
  uintptr_t word = slot.location->word;
  uintptr_t offset = word - evacuation->base;
  if (offset >= evacuation->size)
    return;
  uint32_t index = (uint32_t)(offset >> SPGC_BLOCK_SHIFT);
  enum spgc_space space = spgc_heap_space(evacuation->heap, index);
  if (!spgc_space_is_condemned(space)) {
    if (evacuation->marker != NULL)
      spgc_mark(evacuation->marker, word);
    return;
  }
  if (__builtin_expect(space == SPGC_SPACE_CONDEMNED_LARGE, 0)) {
    relabel_large(evacuation, index);
    return;
  }
  uintptr_t header = spgc_object_header(word);
  bool moved = header - evacuation->base < evacuation->size;
  slot.location->word = moved ? header : evacuate_small(evacuation, word, header);
}

/* The header of an object to be copied is seldom in a cache: it is fetched now and wanted a few slots later. */
SPGC_INLINE void wait_for(struct spgc_evacuation *evacuation, struct spgc_slot slot) {
  __builtin_prefetch((void *)slot.location->word, 1);
  if (evacuation->soon_next - evacuation->soon_first == SPGC_SOON_SLOTS)
    forward(evacuation, evacuation->soon[evacuation->soon_first++ % SPGC_SOON_SLOTS]);
  evacuation->soon[evacuation->soon_next++ % SPGC_SOON_SLOTS] = slot;
}

SPGC_INLINE bool is_condemned(const struct spgc_evacuation *evacuation, uintptr_t word) {
  return spgc_space_is_condemned(spgc_heap_space(evacuation->heap, spgc_heap_block_of(evacuation->heap, word)));
}

SPGC_INLINE void forward_soon(void *context, struct spgc_slot slot) {
  struct spgc_evacuation *evacuation = context;
  uintptr_t word = slot.location->word;
  if (word - evacuation->base >= evacuation->size)
    return;
  if (is_condemned(evacuation, word))
    wait_for(evacuation, slot);
  else if (evacuation->marker != NULL)
    spgc_mark(evacuation->marker, word);
}

/* The same without marking. */
SPGC_INLINE void forward_condemned_soon(void *context, struct spgc_slot slot) {
  struct spgc_evacuation *evacuation = context;
  uintptr_t word = slot.location->word;
  if (word - evacuation->base < evacuation->size && is_condemned(evacuation, word))
    wait_for(evacuation, slot);
}

/* Returns whether there was anything. */
static bool forward_waiting(struct spgc_evacuation *evacuation) {
  uint32_t first = evacuation->soon_first;
  while (evacuation->soon_first != evacuation->soon_next)
    forward(evacuation, evacuation->soon[evacuation->soon_first++ % SPGC_SOON_SLOTS]);
  return evacuation->soon_first != first;
}

void spgc_evacuation_forward(struct spgc_evacuation *evacuation, struct spgc_slot slot) {
  forward(evacuation, slot);
}

static void begin(struct spgc_evacuation *evacuation, struct spgc_heap *heap) {
  memset(evacuation, 0, sizeof *evacuation);
  evacuation->heap = heap;
  evacuation->base = heap->base;
  evacuation->size = heap->size;
}

static void condemn(struct spgc_heap *heap, struct spgc_block_list *list, struct spgc_block_list *condemned,
                    enum spgc_space space) {
  for (uint32_t i = list->first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    heap->spaces[i] = (uint8_t)space;
  spgc_block_list_splice(condemned, list, heap->blocks);
}

static void condemn_nursery(struct spgc_heap *heap) {
  condemn(heap, &heap->nursery, &heap->condemned, SPGC_SPACE_CONDEMNED);
  condemn(heap, &heap->nursery_large, &heap->condemned_large, SPGC_SPACE_CONDEMNED_LARGE);
  heap->nursery_large_blocks = 0;
}

void spgc_evacuation_begin_minor(struct spgc_evacuation *evacuation, struct spgc_heap *heap,
                                 struct spgc_marker *marker) {
  begin(evacuation, heap);
  evacuation->marker = marker;
  condemn_nursery(heap);
}

void spgc_evacuation_begin_all(struct spgc_evacuation *evacuation, struct spgc_heap *heap,
                               struct spgc_random *shuffle) {
  begin(evacuation, heap);
  evacuation->shuffle = shuffle;
  condemn_nursery(heap);
  condemn(heap, &heap->old, &heap->condemned, SPGC_SPACE_CONDEMNED);
  condemn(heap, &heap->old_large, &heap->condemned_large, SPGC_SPACE_CONDEMNED_LARGE);
  heap->old_large_bytes = 0;
  spgc_heap_forget_lanes(heap);
}

/* Old blocks, in the order of the list, of which at most `most_live` bytes live. */
struct sparse {
  size_t most_live, bytes;
  uint32_t count;
};

/* As many as can be copied to `free_blocks`. */
static struct sparse find_sparse(const struct spgc_heap *heap, size_t most_live, size_t free_blocks) {
  struct sparse sparse = {most_live, 0, 0};
  for (uint32_t i = heap->old.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next) {
    size_t bytes = sparse.bytes + heap->blocks[i].live;
    if (heap->blocks[i].live > most_live)
      continue;
    if (spgc_evacuation_blocks(bytes) > free_blocks)
      break;
    sparse.bytes = bytes;
    sparse.count++;
  }
  return sparse;
}

static void condemn_sparse(struct spgc_heap *heap, struct sparse sparse) {
  uint32_t next;
  for (uint32_t i = heap->old.first; sparse.count != 0; i = next) {
    next = heap->blocks[i].next;
    if (heap->blocks[i].live > sparse.most_live)
      continue;
    spgc_block_list_remove(&heap->old, heap->blocks, i);
    spgc_block_list_append(&heap->condemned, heap->blocks, i);
    heap->spaces[i] = SPGC_SPACE_CONDEMNED;
    sparse.count--;
  }
}

bool spgc_evacuation_begin_sparse(struct spgc_evacuation *evacuation, struct spgc_heap *heap, size_t most_live,
                                  size_t free_blocks) {
  enum { WORTHWHILE = 16 }; /* one block in so many */
  struct sparse sparse = find_sparse(heap, most_live, free_blocks);
  if (sparse.count < 2 || sparse.count < heap->old.count / WORTHWHILE ||
      !spgc_blocks_prepare(heap, spgc_evacuation_blocks(sparse.bytes)))
    return false;
  begin(evacuation, heap);
  condemn_sparse(heap, sparse);
  spgc_heap_forget_lanes(heap);
  heap->room = heap->old.first;
  return true;
}

/* What is not marked is scanned when it will be, if it lives: until then it shall not keep old objects alive. */
SPGC_INLINE void remember_object(void *context, uintptr_t object, uintptr_t from, uintptr_t to) {
  struct spgc_evacuation *evacuation = context;
  const struct spgc_type *type = spgc_object_type(object);
  if (evacuation->marker != NULL && spgc_mark_bit_is_set(evacuation->heap, object)) {
    struct spgc_window window = {from, to, forward_soon, evacuation};
    spgc_object_visit_within(object, type, &window);
  } else {
    struct spgc_window window = {from, to, forward_condemned_soon, evacuation};
    spgc_object_visit_within(object, type, &window);
  }
}

void spgc_evacuation_remember(struct spgc_evacuation *evacuation) {
  evacuation->dirty_cards += spgc_cards_visit_dirty(evacuation->heap, remember_object, evacuation);
}

static void visit_object(struct spgc_evacuation *evacuation, uintptr_t object) {
  spgc_object_visit(object, spgc_object_type(object), forward_soon, evacuation);
}

static void visit_block(struct spgc_evacuation *evacuation, uint32_t index) {
  uintptr_t start = spgc_heap_block_start(evacuation->heap, index), end = start + SPGC_BLOCK_BYTES;
  for (uintptr_t object = start; object < end; object += spgc_object_bytes(object, spgc_object_type(object)))
    visit_object(evacuation, object);
}

void spgc_evacuation_update(struct spgc_evacuation *evacuation) {
  const struct spgc_heap *heap = evacuation->heap;
  for (uint32_t i = heap->old.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    visit_block(evacuation, i);
  for (uint32_t i = heap->old_large.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    visit_object(evacuation, spgc_heap_block_start(heap, i));
}

static void scan_copied(struct spgc_evacuation *evacuation) {
  struct spgc_work_stack *copied = &evacuation->heap->copied;
  while (copied->count != 0)
    visit_object(evacuation, spgc_work_stack_pop(copied));
}

static void scan_large(struct spgc_evacuation *evacuation) {
  struct spgc_heap *heap = evacuation->heap;
  uint32_t index;
  while ((index = spgc_block_list_take_first(&heap->gray_large, heap->blocks)) != SPGC_BLOCK_NONE) {
    spgc_block_list_append(&heap->old_large, heap->blocks, index);
    visit_object(evacuation, spgc_heap_block_start(heap, index));
    spgc_cards_clean_large(heap, index);
  }
}

/* Blocks of which not all copies fitted heap->copied: each is scanned whole. */
static void scan_waiting(struct spgc_evacuation *evacuation) {
  const struct spgc_heap *heap = evacuation->heap;
  evacuation->overflowed = false;
  for (uint32_t i = heap->old.first; i != SPGC_BLOCK_NONE; i = heap->blocks[i].next)
    if (heap->blocks[i].copies_wait) {
      heap->blocks[i].copies_wait = false;
      visit_block(evacuation, i);
    }
}

void spgc_evacuation_drain(struct spgc_evacuation *evacuation) {
  const struct spgc_heap *heap = evacuation->heap;
  for (;;) {
    scan_copied(evacuation);
    if (forward_waiting(evacuation))
      continue;
    if (heap->gray_large.count != 0)
      scan_large(evacuation);
    else if (evacuation->overflowed)
      scan_waiting(evacuation);
    else
      return;
  }
}

void spgc_evacuation_end(struct spgc_evacuation *evacuation) {
  struct spgc_heap *heap = evacuation->heap;
  for (int i = 0; i < SPGC_LANES; i++)
    spgc_lane_pause(heap, &heap->lanes[i]);
  spgc_blocks_free_condemned(heap);
}
