#include <inttypes.h>

#include "gc/mutator/misuse.h"
#include "gc/state/runtime.h"
#include "spgc/generated.h"

/* If another thread takes the block at the same time, `number` is not an object in it. */
static bool was_object(const struct spgc_heap *heap, uintptr_t number) {
  if (!spgc_heap_contains(heap, number))
    return false;
  uint32_t block = spgc_heap_block_of(heap, number);
  return block >= __atomic_load_n(&heap->low_water, __ATOMIC_RELAXED) &&
         block < __atomic_load_n(&heap->high_water, __ATOMIC_RELAXED);
}

void spgc_check_number(uint64_t number, const char *place) {
  spgc_require(
      !was_object(&spgc_runtime.heap, number),
      "%s, and %#" PRIx64
      " is the address of an object, which no collection updates there: declare the word "
      "as the reference that it is (in C: no union, cast or copy of bytes, but spgc/value.h "
      "for a word that is a reference or a number), and use spgc/identity.h to hash",
      place, number);
}

/* The words may begin or end inside a machine word. */
static uintptr_t first_word(uintptr_t address) {
  return address & ~(uintptr_t)(SPGC_WORD_BYTES - 1);
}

static uint64_t read_word(uintptr_t address) {
  return __atomic_load_n((const uint64_t *)address, __ATOMIC_RELAXED);
}

void spgc_check_words(uint64_t first, uint64_t bytes, const char *place) {
  for (uintptr_t word = first_word(first); word < first + bytes; word += SPGC_WORD_BYTES)
    spgc_check_number(read_word(word), place);
}

void spgc_check_copy(struct spgc_ref object, const void *first, uint64_t bytes, const char *place) {
  uintptr_t start = (uintptr_t)first;
  if (!spgc_heap_contains(&spgc_runtime.heap, object.word))
    return;
  for (uintptr_t word = first_word(start); word < start + bytes; word += SPGC_WORD_BYTES)
    if (was_object(&spgc_runtime.heap, read_word(word)) && !spgc_object_has_slot(object, word))
      spgc_check_number(read_word(word), place);
}
