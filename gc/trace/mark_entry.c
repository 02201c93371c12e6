#include "gc/trace/mark_entry.h"

enum { TAG_BITS = 2 };

_Static_assert((SPGC_MARK_RANGE | SPGC_MARK_UNSURE) < 1 << TAG_BITS, "tags fit their bits");

static void await(struct spgc_scanner *scanner, uint32_t first, uint32_t end) {
  if (!scanner->overflowed || first < scanner->first_waiting)
    scanner->first_waiting = first;
  if (!scanner->overflowed || end > scanner->end_waiting)
    scanner->end_waiting = end;
  scanner->overflowed = true;
}

/* Flags a block whose marked objects do not fit the stack. */
static void wait_with_block(struct spgc_scanner *scanner, uint32_t index) {
  __atomic_store_n(&scanner->heap->blocks[index].marks_wait, true, __ATOMIC_RELAXED);
  await(scanner, index, index + 1);
}

uint32_t spgc_mark_next_waiting(struct spgc_scanner *scanner) {
  struct spgc_block *blocks = scanner->heap->blocks;
  for (uint32_t i = scanner->first_waiting; i < scanner->end_waiting; i++)
    if (blocks[i].marks_wait) {
      blocks[i].marks_wait = false;
      scanner->first_waiting = i + 1;
      return i;
    }
  scanner->overflowed = false;
  return SPGC_BLOCK_NONE;
}

static void push_range(struct spgc_scanner *scanner, uint32_t index, uint32_t first,
                       uint32_t halves) {
  uintptr_t range = (2 * ((uintptr_t)first >> halves) + 1) << halves;
  spgc_worklist_push(&scanner->stack, (uintptr_t)index << 32 | range << TAG_BITS | SPGC_MARK_RANGE);
}

struct spgc_mark_part spgc_mark_open_range(struct spgc_scanner *scanner, uintptr_t entry) {
  uint32_t index = (uint32_t)(entry >> 32), range = (uint32_t)entry >> TAG_BITS;
  uint32_t halves = (uint32_t)__builtin_ctz(range), first = range >> (halves + 1) << halves;
  if (!spgc_worklist_has_space(&scanner->stack, halves)) {
    wait_with_block(scanner, index);
    return (struct spgc_mark_part){spgc_ref_null(), 0};
  }
  while (halves-- != 0)
    if (first + (UINT32_C(1) << halves) < scanner->heap->blocks[index].run)
      push_range(scanner, index, first + (UINT32_C(1) << halves), halves);
  struct spgc_ref object = spgc_heap_first_object(scanner->heap, index);
  return (struct spgc_mark_part){object, object.word + ((uintptr_t)first << SPGC_BLOCK_SHIFT)};
}

void spgc_mark_push_large(struct spgc_scanner *scanner, uint32_t index) {
  uint32_t parts = scanner->heap->blocks[index].run, halves = 0;
  while (UINT32_C(1) << halves < parts)
    halves++;
  if (!spgc_type_has_references(spgc_object_type(spgc_heap_first_object(scanner->heap, index))))
    return;
  if (spgc_worklist_has_space(&scanner->stack, 1))
    push_range(scanner, index, 0, halves);
  else
    wait_with_block(scanner, index);
}

__attribute__((noinline)) void spgc_mark_push_rarely(struct spgc_scanner *scanner, uint32_t index) {
  if (spgc_heap_space(scanner->heap, index) == SPGC_SPACE_OLD) {
    wait_with_block(scanner, index);
    return;
  }
  spgc_mark_count_large(scanner, index);
  spgc_mark_push_large(scanner, index);
}

static uint32_t block_of(const struct spgc_scanner *scanner, uintptr_t entry) {
  return spgc_mark_is_range(entry) ? (uint32_t)(entry >> 32)
                                   : spgc_heap_block_of(scanner->heap, entry);
}

/* No entry has SPGC_MARK_UNSURE here: parallel marking leaves no entries, and an evacuation pushes
 * only objects that it has marked. */
void spgc_mark_take_over(struct spgc_scanner *scanner, struct spgc_scanner *other) {
  while (other->stack.count != 0) {
    uintptr_t entry = spgc_worklist_pop(&other->stack);
    if (spgc_worklist_has_space(&scanner->stack, 1))
      spgc_worklist_push(&scanner->stack, entry);
    else
      wait_with_block(scanner, block_of(scanner, entry));
  }
  if (other->overflowed)
    await(scanner, other->first_waiting, other->end_waiting);
  other->overflowed = false;
}
