/* Each thread's fields stored to since the last collection, while their card groups have had few
 * stores (docs/heap.md, "Cards and crossing maps").
 *
 * The first word of a buffer leads to the counts (heap->group_stores); its fields follow, up to
 * *cursor. A group may have more buffered fields than its count, because mutators store at the same
 * time.
 *
 * Sources: Hosking, Moss and Stefanovic, "A comparative performance evaluation of write barrier
 * implementations" (1992); Hosking and Hudson, "Remembered sets can also play cards" (1993). */
#ifndef SPGC_HEAP_REMEMBERED_BUFFERS_H
#define SPGC_HEAP_REMEMBERED_BUFFERS_H

#include "heap/heap.h"
#include "spgc/thread.h"

struct spgc_store_buffer {
  struct spgc_store_buffer *next;
  uintptr_t first;   /* its first field; constant */
  uintptr_t *cursor; /* written as spgc/thread.h says */
};

/* False if the system refuses. */
bool spgc_store_buffer_create(struct spgc_store_buffer *buffer);
void spgc_store_buffer_destroy(struct spgc_store_buffer *buffer);

/* A buffer was flushed before it is removed. */
void spgc_store_buffer_add(struct spgc_heap *heap, struct spgc_store_buffer *buffer,
                           uintptr_t *cursor);
void spgc_store_buffer_remove(struct spgc_heap *heap, struct spgc_store_buffer *buffer);

static inline uint32_t spgc_store_buffer_count(const struct spgc_store_buffer *buffer) {
  return (uint32_t)((*buffer->cursor - buffer->first) / SPGC_WORD_BYTES);
}

/* Dirties the groups of its fields. */
void spgc_store_buffer_flush(struct spgc_heap *heap, struct spgc_store_buffer *buffer);

/* So that cards alone tell everything. */
void spgc_remembered_open_cards(struct spgc_heap *heap);

/* All fields were scanned. */
void spgc_store_buffers_empty(const struct spgc_heap *heap);

uint32_t spgc_store_buffers_count(const struct spgc_heap *heap);

#endif
