#include "heap/remembered/buffers.h"

#include "heap/memory.h"
#include "heap/remembered/tables.h"

bool spgc_store_buffer_create(struct spgc_store_buffer *buffer) {
  void *memory = spgc_memory_reserve(SPGC_STORE_BUFFER_BYTES, SPGC_STORE_BUFFER_BYTES);
  buffer->first = (uintptr_t)memory + SPGC_WORD_BYTES;
  if (memory != NULL && !spgc_memory_open(memory, SPGC_STORE_BUFFER_BYTES)) {
    spgc_memory_unmap(memory, SPGC_STORE_BUFFER_BYTES);
    return false;
  }
  return memory != NULL;
}

static uintptr_t *first_word(const struct spgc_store_buffer *buffer) {
  return (uintptr_t *)(buffer->first - SPGC_WORD_BYTES);
}

void spgc_store_buffer_destroy(struct spgc_store_buffer *buffer) {
  spgc_memory_unmap(first_word(buffer), SPGC_STORE_BUFFER_BYTES);
}

void spgc_store_buffer_add(struct spgc_heap *heap, struct spgc_store_buffer *buffer,
                           uintptr_t *cursor) {
  *first_word(buffer) = (uintptr_t)heap->group_stores - (heap->base >> SPGC_GROUP_CARD_SHIFT);
  *cursor = buffer->first;
  buffer->cursor = cursor;
  buffer->next = heap->store_buffers;
  heap->store_buffers = buffer;
}

void spgc_store_buffer_remove(struct spgc_heap *heap, struct spgc_store_buffer *buffer) {
  struct spgc_store_buffer **link = &heap->store_buffers;
  while (*link != buffer)
    link = &(*link)->next;
  *link = buffer->next;
}

/* Other mutators may store into the groups: they find the group card dirty, or buffer fields as
 * usual. */
void spgc_store_buffer_flush(struct spgc_heap *heap, struct spgc_store_buffer *buffer) {
  const uintptr_t *field = (const uintptr_t *)buffer->first,
                  *end = (const uintptr_t *)*buffer->cursor;
  for (; field != end; field++) {
    size_t group = (*field - heap->base) >> SPGC_GROUP_CARD_SHIFT;
    __atomic_store_n(&heap->group_cards[group], SPGC_CARD_DIRTY, __ATOMIC_RELAXED);
    __atomic_store_n(&heap->group_stores[group], 0, __ATOMIC_RELAXED);
  }
  *buffer->cursor = buffer->first;
}

void spgc_remembered_open_cards(struct spgc_heap *heap) {
  for (struct spgc_store_buffer *buffer = heap->store_buffers; buffer != NULL;
       buffer = buffer->next)
    spgc_store_buffer_flush(heap, buffer);
}

void spgc_store_buffers_empty(const struct spgc_heap *heap) {
  for (const struct spgc_store_buffer *buffer = heap->store_buffers; buffer != NULL;
       buffer = buffer->next)
    *buffer->cursor = buffer->first;
}

uint32_t spgc_store_buffers_count(const struct spgc_heap *heap) {
  uint32_t count = 0;
  for (const struct spgc_store_buffer *buffer = heap->store_buffers; buffer != NULL;
       buffer = buffer->next)
    count += spgc_store_buffer_count(buffer);
  return count;
}
