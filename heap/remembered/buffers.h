/* Store buffers: per-thread logs of the fields stored to since the last collection. A field is
 * logged only while its card group has had few stores.
 *
 * A collection that scans cards reads these fields, except those of groups with a dirty group card,
 * whose cards it reads. In a large old space, a card read would miss the caches for the card, the
 * other cards of its group, the crossing map's entry and the field's object. Other collections
 * first flush the buffers (spgc_remembered_open_cards), which dirties the group cards.
 *
 * The first word of a buffer leads to the counts (heap->group_stores); its fields are the words
 * from the second to below *cursor. A group may have more buffered fields than its count, because
 * mutators store at the same time. docs/heap.md, "Cards and crossing maps", has the invariants.
 *
 * Sources: Hosking, Moss and Stefanovic, "A comparative performance evaluation of write barrier
 * implementations" (1992), compare sequential store buffers with cards; Hosking and Hudson,
 * "Remembered sets can also play cards" (1993), combine them. */
#ifndef SPGC_HEAP_REMEMBERED_BUFFERS_H
#define SPGC_HEAP_REMEMBERED_BUFFERS_H

#include "heap/heap.h"
#include "spgc/thread.h"

struct spgc_store_buffer {
  struct spgc_store_buffer *next; /* next in heap->store_buffers */
  uintptr_t first;                /* its first field, the second word; constant */
  uintptr_t *cursor; /* the next free word, in the thread's words: written as spgc/thread.h says */
};

/* False if the system refuses. */
bool spgc_store_buffer_create(struct spgc_store_buffer *buffer);
void spgc_store_buffer_destroy(struct spgc_store_buffer *buffer);

/* `cursor` is the thread's word. A buffer that is removed was flushed. */
void spgc_store_buffer_add(struct spgc_heap *heap, struct spgc_store_buffer *buffer,
                           uintptr_t *cursor);
void spgc_store_buffer_remove(struct spgc_heap *heap, struct spgc_store_buffer *buffer);

static inline uint32_t spgc_store_buffer_count(const struct spgc_store_buffer *buffer) {
  return (uint32_t)((*buffer->cursor - buffer->first) / SPGC_WORD_BYTES);
}

static inline const struct spgc_slot *
spgc_store_buffer_fields(const struct spgc_store_buffer *buffer) {
  return (const struct spgc_slot *)buffer->first;
}

/* Dirties the groups of its fields, and empties it. */
void spgc_store_buffer_flush(struct spgc_heap *heap, struct spgc_store_buffer *buffer);

/* Flushes all, so that the cards alone tell everything. */
void spgc_remembered_open_cards(struct spgc_heap *heap);

/* Empties all, whose fields were scanned. */
void spgc_store_buffers_empty(const struct spgc_heap *heap);

uint32_t spgc_store_buffers_count(const struct spgc_heap *heap);

#endif
