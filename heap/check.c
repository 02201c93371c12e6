#include "heap/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "heap/check_type.h"
#include "heap/condemn.h"
#include "heap/hole.h"
#include "heap/mark_bits.h"
#include "heap/memory.h"
#include "heap/object.h"
#include "heap/remembered/buffers.h"
#include "heap/remembered/new_large.h"
#include "heap/remembered/recorded.h"
#include "support/fatal.h"

enum { BITS = 64, BITS_PER_BLOCK = SPGC_BLOCK_BYTES / SPGC_WORD_BYTES / BITS };

struct reader {
  struct spgc_check *check;
  struct spgc_heap *heap;
  struct spgc_error *error;
  enum spgc_result result;
  struct spgc_ref object;
  struct spgc_ref in_front; /* the previous one in its block, or null */
  bool are_buffered;        /* a store buffer has fields */
  bool object_is_old;
  bool object_is_scanned; /* false if unknown */
  bool object_is_noted;   /* invariant 6 of docs/heap.md holds for it */
  struct spgc_readable_pages pages;
};

#define malformed(reader, ...) spgc_error_set((reader)->error, SPGC_ERROR_MALFORMED, __VA_ARGS__)

static size_t word_index(const struct spgc_check *check, uintptr_t address) {
  return (address - spgc_heap_block_start(check->heap, check->low)) / SPGC_WORD_BYTES;
}

static bool has_bit(const struct spgc_check *check, const uint64_t *bits, uintptr_t address) {
  size_t word = word_index(check, address);
  return address % SPGC_WORD_BYTES == 0 && (bits[word / BITS] >> word % BITS & 1) != 0;
}

static void set_bit(const struct spgc_check *check, uint64_t *bits, uintptr_t address) {
  size_t word = word_index(check, address);
  bits[word / BITS] |= UINT64_C(1) << word % BITS;
}

static bool is_start(const struct spgc_check *check, uintptr_t address) {
  return has_bit(check, check->starts, address);
}

static void clear_starts(const struct spgc_check *check, uint32_t index, uint32_t count) {
  memset(&check->starts[(size_t)(index - check->low) * BITS_PER_BLOCK], 0,
         (size_t)count * BITS_PER_BLOCK * sizeof(uint64_t));
}

static void describe_in_front(struct reader *reader, char *text, size_t size) {
  const struct spgc_ref front = reader->in_front;
  char name[SPGC_TYPE_NAME_BYTES];
  if (spgc_ref_is_null(front))
    return;
  spgc_type_name_copy(reader->heap, spgc_object_header(front), name);
  snprintf(text, size,
           ". Before it is the object at %#" PRIxPTR
           " (%s, %zu bytes); something may have written beyond its end",
           front.word, name, (size_t)(spgc_object_next(front).word - front.word));
}

static enum spgc_result object_error(struct reader *reader, struct spgc_ref object,
                                     const char *wrong) {
  char in_front[160 + SPGC_TYPE_NAME_BYTES] = "";
  describe_in_front(reader, in_front, sizeof in_front);
  return malformed(reader, object.word,
                   "object at %#" PRIxPTR " (block offset %" PRIuPTR ", header %#" PRIxPTR
                   "): %s%s",
                   object.word, (object.word - reader->heap->base) % SPGC_BLOCK_BYTES,
                   spgc_object_header(object), wrong, in_front);
}

static enum spgc_result check_extent(struct reader *reader, struct spgc_ref object, uintptr_t end,
                                     size_t *bytes) {
  const char *wrong = spgc_check_type(reader->heap, &reader->pages, spgc_object_header(object));
  if (wrong != NULL)
    return object_error(reader, object, wrong);
  const struct spgc_type *type = spgc_object_type(object);
  size_t available = end - object.word;
  uint64_t length = 0;
  if ((type->flags & SPGC_TYPE_TAIL) != 0) {
    if (available < 2 * sizeof(uint64_t))
      return object_error(reader, object, "its length is beyond the end of the objects");
    length = spgc_object_length(object);
  }
  if (!spgc_type_bytes_for(type, length, bytes) || *bytes > available)
    return object_error(reader, object, "it extends beyond the end of the objects");
  return SPGC_OK;
}

/* The sweep reads only bits, so in an unswept block all bits of a live object are set. */
static bool is_covered(const struct spgc_heap *heap, uint32_t index, struct spgc_ref object,
                       size_t bytes) {
  size_t first = (object.word - spgc_heap_block_start(heap, index)) / SPGC_WORD_BYTES;
  return !heap->blocks[index].unswept ||
         spgc_mark_bits_next(heap->marks[index], first, SPGC_MARK_BITS_CLEAR) >=
             first + bytes / SPGC_WORD_BYTES;
}

static enum spgc_result read_tile(struct reader *reader, uint32_t index, struct spgc_ref tile,
                                  uintptr_t end, size_t *bytes) {
  const struct spgc_heap *heap = reader->heap;
  if (spgc_tile_is_unswept(heap, index, tile)) {
    *bytes = spgc_tile_next(heap, index, tile).word - tile.word;
    reader->in_front = spgc_ref_null();
    return SPGC_OK;
  }
  enum spgc_result result = check_extent(reader, tile, end, bytes);
  if (result != SPGC_OK)
    return result;
  if (!is_covered(heap, index, tile, *bytes))
    return object_error(reader, tile, "it is marked, but some of its words are not");
  set_bit(reader->check, reader->check->starts, tile.word);
  reader->in_front = tile;
  return SPGC_OK;
}

static enum spgc_result read_small(struct reader *reader, uint32_t index) {
  const struct spgc_heap *heap = reader->heap;
  struct spgc_ref tile = spgc_heap_first_object(heap, index);
  uint32_t top = heap->blocks[index].top;
  if (top > SPGC_BLOCK_BYTES)
    return malformed(reader, tile.word, "block %u: its top is beyond its end", index);
  if (index < heap->unswept && heap->blocks[index].unswept)
    return malformed(reader, tile.word, "block %u is not swept, although the sweep has passed it",
                     index);
  uintptr_t end = tile.word + top;
  clear_starts(reader->check, index, 1);
  reader->in_front = spgc_ref_null();
  while (tile.word < end) {
    size_t bytes = 0;
    enum spgc_result result = read_tile(reader, index, tile, end, &bytes);
    if (result != SPGC_OK)
      return result;
    tile.word += bytes;
  }
  return SPGC_OK;
}

/* Invariant 7 of docs/heap.md, "Cards and crossing maps". A sweep corrects entries that lead to
 * dead objects. */
static enum spgc_result check_crossing_map(const struct reader *reader, uint32_t index) {
  const struct spgc_block *block = &reader->heap->blocks[index];
  uintptr_t start = spgc_heap_block_start(reader->heap, index);
  uint32_t before = 0;
  for (uint32_t card = 0; card << SPGC_CARD_SHIFT < block->crossing_map_top; card++) {
    uint32_t word = reader->heap->crossing_maps[index][card], byte = card << SPGC_CARD_SHIFT;
    uintptr_t object = start + (uintptr_t)word * SPGC_WORD_BYTES;
    if (object > start + byte || word < before ||
        !(is_start(reader->check, object) ||
          spgc_tile_is_unswept(reader->heap, index, (struct spgc_ref){object})))
      return malformed(reader, start + byte,
                       "block %u: word %u leads to no object of card %u or before it", index, word,
                       card);
    before = word;
  }
  return SPGC_OK;
}

static enum spgc_result check_run(const struct reader *reader, uint32_t index) {
  const struct spgc_heap *heap = reader->heap;
  for (uint32_t i = index + 1; i < index + heap->blocks[index].run; i++)
    if (heap->spaces[i] != SPGC_SPACE_LARGE_REST || heap->blocks[i].head != index)
      return malformed(reader, spgc_heap_block_start(heap, i),
                       "block %u: it is not part of the large object that begins in block %u", i,
                       index);
  return SPGC_OK;
}

static enum spgc_result read_large(struct reader *reader, uint32_t index) {
  const struct spgc_block *block = &reader->heap->blocks[index];
  struct spgc_ref object = spgc_heap_first_object(reader->heap, index);
  size_t bytes;
  reader->in_front = spgc_ref_null();
  clear_starts(reader->check, index, block->run);
  enum spgc_result result = check_extent(
      reader, object, object.word + ((uintptr_t)block->run << SPGC_BLOCK_SHIFT), &bytes);
  if (result != SPGC_OK)
    return result;
  if (bytes != block->large_bytes)
    return object_error(reader, object,
                        "the large object's size is not the one that was allocated");
  set_bit(reader->check, reader->check->starts, object.word);
  return check_run(reader, index);
}

static const char *check_reference(const struct spgc_check *check, uintptr_t word) {
  if (word == SPGC_HANDLE_POISON)
    return "was read from a handle whose scope was closed";
  if (word == SPGC_POISON_WORD)
    return "was read from memory that a collection had vacated";
  if (!spgc_heap_contains(check->heap, word))
    return NULL;
  if (check->heap->spaces[spgc_heap_block_of(check->heap, word)] == SPGC_SPACE_FREE)
    return "leads to free memory";
  if (is_start(check, word))
    return spgc_type_is_filler(spgc_object_header((struct spgc_ref){word})) ? "leads to free memory"
                                                                            : NULL;
  return spgc_tile_is_unswept(check->heap, spgc_heap_block_of(check->heap, word),
                              (struct spgc_ref){word})
             ? "leads to memory where a marking found no live object"
             : "does not lead to the start of an object";
}

/* What a clean card shows to be missing: invariants 1, 2 and 6 of docs/heap.md, "Cards and crossing
 * maps"; heap/remembered/recorded.h. */
static const char *check_clean(const struct reader *reader, struct spgc_slot slot) {
  const struct spgc_heap *heap = reader->heap;
  enum spgc_space space = spgc_heap_space(heap, spgc_heap_block_of(heap, slot.location->word));
  if (reader->object_is_old && heap->born_old_bytes == 0 && spgc_space_is_young(space))
    return "leads from an old object to a young one, but its card is clean: a write barrier is "
           "missing";
  if (reader->object_is_noted)
    return "is in a new array, but its card is clean: a write barrier is missing";
  /* A marking does not follow weak elements. */
  if (!reader->object_is_scanned || spgc_type_is_weak(spgc_object_type(reader->object)))
    return NULL;
  if (!spgc_mark_bit_is_set(heap, *slot.location))
    return "leads from a marked object to an unmarked one, but its card is clean";
  return spgc_candidates_are_recorded(heap) && space == SPGC_SPACE_OLD_CANDIDATE &&
                 !has_bit(reader->check, reader->check->recorded, (uintptr_t)slot.location)
             ? "leads from a scanned object into a candidate block, but was not recorded"
             : NULL;
}

static void check_slot(void *context, struct spgc_slot slot) {
  struct reader *reader = context;
  uintptr_t word = slot.location->word;
  if (reader->result != SPGC_OK)
    return;
  const char *wrong = check_reference(reader->check, word);
  if (wrong == NULL && spgc_heap_contains(reader->heap, word) &&
      *spgc_card_of(reader->heap, (uintptr_t)slot.location) == SPGC_CARD_CLEAN)
    wrong = check_clean(reader, slot);
  if (wrong == NULL)
    return;
  const char *name = spgc_object_type(reader->object)->name;
  reader->result = malformed(reader, (uintptr_t)slot.location,
                             "object at %#" PRIxPTR " (%s): its reference %#" PRIxPTR
                             " at offset %" PRIuPTR " %s",
                             reader->object.word, name == NULL ? "unnamed type" : name, word,
                             (uintptr_t)slot.location - reader->object.word, wrong);
}

/* If marks are kept, every marked object was scanned. A marking sets a small object's last bit when
 * it has scanned it; large ones are scanned in parts. */
static bool is_scanned(const struct reader *reader, struct spgc_ref object, bool large) {
  const struct spgc_heap *heap = reader->heap;
  if (heap->keeps_marks && !reader->check->is_marking)
    return spgc_mark_bit_is_set(heap, object);
  if (!reader->check->is_marking || large)
    return false;
  uintptr_t last = spgc_object_next(object).word - SPGC_WORD_BYTES;
  return spgc_mark_bit_is_set(heap, (struct spgc_ref){last});
}

static void check_fields(struct reader *reader, struct spgc_ref object, bool large) {
  reader->object = object;
  reader->object_is_scanned = reader->object_is_old && is_scanned(reader, object, large);
  reader->object_is_noted =
      large && !reader->object_is_old &&
      spgc_new_large_is_noted(reader->heap, spgc_heap_block_of(reader->heap, object.word));
  spgc_object_visit(object, spgc_object_type(object), check_slot, reader);
}

struct group {
  const struct spgc_block_list *list; /* old blocks of small objects are on no list */
  enum spgc_space space;
  bool large, old;
};

static uint32_t first_of(const struct spgc_heap *heap, const struct group *group) {
  return group->list == NULL ? spgc_old_first(heap) : group->list->first;
}

static uint32_t after(const struct spgc_heap *heap, const struct group *group, uint32_t index) {
  return group->list == NULL ? spgc_old_after(heap, index) : heap->blocks[index].next;
}

static enum spgc_result check_fields_of(struct reader *reader, const struct group *group) {
  const struct spgc_heap *heap = reader->heap;
  reader->object_is_old = group->old;
  for (uint32_t i = first_of(heap, group); i != SPGC_BLOCK_NONE && reader->result == SPGC_OK;
       i = after(heap, group, i)) {
    struct spgc_ref tile = spgc_heap_first_object(heap, i);
    uintptr_t end = tile.word + (group->large ? SPGC_WORD_BYTES : heap->blocks[i].top);
    for (; tile.word < end && reader->result == SPGC_OK; tile = spgc_tile_next(heap, i, tile))
      if (!spgc_tile_is_unswept(heap, i, tile))
        check_fields(reader, tile, group->large);
  }
  return reader->result;
}

/* Invariants 3 and 4 of docs/heap.md, "Cards and crossing maps". Fields in store buffers are only
 * counted. */
static enum spgc_result check_group_card(struct reader *reader, size_t group,
                                         const struct group *blocks) {
  const struct spgc_heap *heap = reader->heap;
  uint8_t state = heap->group_cards[group];
  uint64_t dirty = spgc_cards_of_group(heap, group, SPGC_CARD_DIRTY),
           deferred = spgc_cards_of_group(heap, group, SPGC_CARD_DEFERRED);
  uint8_t stores = heap->group_stores[group];
  bool is_buffered = blocks->old && stores != 0;
  if (is_buffered && !reader->are_buffered)
    return malformed(reader, group, "group %zu counts stores, but no store buffer has any", group);
  if (blocks->large && !blocks->old && stores < SPGC_MOST_GROUP_STORES)
    return malformed(reader, group, "group %zu of a new large object admits buffered stores",
                     group);
  if ((dirty == 0 || state == SPGC_CARD_DIRTY || is_buffered) &&
      (deferred == 0 || state != SPGC_CARD_CLEAN))
    return SPGC_OK;
  return malformed(reader, group, "group %zu has %s cards, and its group card is %s", group,
                   dirty != 0 ? "dirty" : "deferred",
                   state == SPGC_CARD_CLEAN ? "clean" : "deferred");
}

static enum spgc_result read_group(struct reader *reader, const struct group *group) {
  const struct spgc_heap *heap = reader->heap;
  for (uint32_t i = first_of(heap, group); i != SPGC_BLOCK_NONE; i = after(heap, group, i)) {
    enum spgc_space space = spgc_heap_space(heap, i);
    if (space != group->space &&
        !(group->space == SPGC_SPACE_OLD && space == SPGC_SPACE_OLD_CANDIDATE))
      return malformed(reader, i, "block %u is on the list of space %d, but belongs to space %d", i,
                       group->space, space);
    size_t end = spgc_first_group(i + (group->large ? heap->blocks[i].run : 1));
    for (size_t card = spgc_first_group(i); card < end; card++)
      if (check_group_card(reader, card, group) != SPGC_OK)
        return SPGC_ERROR_MALFORMED;
    enum spgc_result result = group->large ? read_large(reader, i) : read_small(reader, i);
    if (result == SPGC_OK && group->space == SPGC_SPACE_OLD)
      result = check_crossing_map(reader, i);
    if (result != SPGC_OK)
      return result;
  }
  return SPGC_OK;
}

static uint32_t count_old(const struct spgc_heap *heap) {
  uint32_t count = 0;
  for (uint32_t i = spgc_old_first(heap); i != SPGC_BLOCK_NONE; i = spgc_old_after(heap, i))
    count++;
  return count;
}

/* The invariants at the head of heap/heap.h. */
static enum spgc_result check_counts(struct reader *reader) {
  const struct spgc_heap *heap = reader->heap;
  if (heap->condemned.count + heap->condemned_large.count != 0)
    return malformed(reader, 0, "blocks are condemned outside a collection");
  if (heap->old_blocks != count_old(heap))
    return malformed(reader, 0, "%u blocks are old, but %u are counted", count_old(heap),
                     heap->old_blocks);
  if (heap->used_blocks != heap->nursery.count + heap->old_blocks + heap->large_blocks)
    return malformed(reader, 0, "%u blocks in use, but %u in the nursery, %u old, %u large",
                     heap->used_blocks, heap->nursery.count, heap->old_blocks, heap->large_blocks);
  return SPGC_OK;
}

/* Of one kind. */
static size_t bits_bytes(const struct spgc_check *check) {
  return (size_t)(check->high - check->low) * BITS_PER_BLOCK * sizeof(uint64_t);
}

static bool prepare(struct spgc_check *check) {
  const struct spgc_heap *heap = check->heap;
  if (check->starts != NULL && check->low == heap->low_water && check->high == heap->high_water)
    return true;
  spgc_check_destroy(check);
  check->low = heap->low_water;
  check->high = heap->high_water;
  check->starts = spgc_memory_map(2 * bits_bytes(check) + 1); /* a heap may have no blocks yet */
  if (check->starts == NULL)
    return false;
  check->recorded = check->starts + bits_bytes(check) / sizeof *check->starts;
  return true;
}

static void read_recorded(struct spgc_check *check) {
  const struct spgc_heap *heap = check->heap;
  const struct spgc_recorded *recorded = &heap->recorded;
  if (!spgc_candidates_are_recorded(heap))
    return;
  memset(check->recorded, 0, bits_bytes(check));
  for (uint32_t i = 0; i < spgc_recorded_chunks(recorded); i++) {
    const struct spgc_recorded_chunk *chunk = &recorded->chunks[i];
    for (uint64_t slot = 0; slot < chunk->count; slot++)
      set_bit(check, check->recorded, (uintptr_t)chunk->slots[slot].location);
  }
}

/* Invariant 5 of docs/heap.md, "Cards and crossing maps". */
static enum spgc_result check_stores(struct reader *reader,
                                     const struct spgc_store_buffer *buffer) {
  const struct spgc_heap *heap = reader->heap;
  const struct spgc_slot *fields = (const struct spgc_slot *)buffer->first;
  for (uint32_t i = 0; i < spgc_store_buffer_count(buffer); i++) {
    uintptr_t field = (uintptr_t)fields[i].location;
    if (!spgc_heap_contains(heap, field) ||
        !spgc_block_is_old(heap, spgc_heap_block_of(heap, field)) ||
        *spgc_card_of(heap, field) != SPGC_CARD_DIRTY)
      return malformed(
          reader, field,
          "a store buffer has %#" PRIxPTR ", which is not on a dirty card of an old object", field);
  }
  return SPGC_OK;
}

static enum spgc_result run(struct reader *reader) {
  const struct spgc_heap *heap = reader->heap;
  const struct group groups[] = {{&heap->nursery, SPGC_SPACE_NURSERY, false, false},
                                 {&heap->nursery_large, SPGC_SPACE_NURSERY_LARGE, true, false},
                                 {NULL, SPGC_SPACE_OLD, false, true},
                                 {&heap->old_large, SPGC_SPACE_OLD_LARGE, true, true}};
  enum { GROUPS = sizeof groups / sizeof groups[0] };
  enum spgc_result result = check_counts(reader);
  for (int i = 0; i < GROUPS && result == SPGC_OK; i++)
    result = read_group(reader, &groups[i]);
  for (int i = 0; i < GROUPS && result == SPGC_OK; i++)
    result = check_fields_of(reader, &groups[i]);
  for (const struct spgc_store_buffer *buffer = heap->store_buffers;
       buffer != NULL && result == SPGC_OK; buffer = buffer->next)
    result = check_stores(reader, buffer);
  return result;
}

enum spgc_result spgc_check_heap(struct spgc_check *check, struct spgc_error *error) {
  if (!prepare(check))
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "cannot verify the heap: out of memory");
  read_recorded(check);
  struct reader reader = {.check = check,
                          .heap = check->heap,
                          .error = error,
                          .are_buffered = spgc_store_buffers_count(check->heap) != 0};
  return run(&reader);
}

enum spgc_result spgc_check_root(const struct spgc_check *check, const char *what,
                                 struct spgc_slot slot, struct spgc_error *error) {
  uintptr_t word = slot.location->word;
  const char *wrong = check_reference(check, word);
  if (wrong == NULL)
    return SPGC_OK;
  return spgc_error_set(error, SPGC_ERROR_MALFORMED, (uintptr_t)slot.location,
                        "%s at %p: its reference %#" PRIxPTR " %s", what, (void *)slot.location,
                        word, wrong);
}

void spgc_check_destroy(struct spgc_check *check) {
  if (check->starts != NULL)
    spgc_memory_unmap(check->starts, 2 * bits_bytes(check) + 1);
  check->starts = check->recorded = NULL;
}
