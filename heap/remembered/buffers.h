/* Store buffers: the fields that each thread has stored to since the last collection, one after
 * another, as long as their group of cards has few.
 *
 * A collection that scans cards reads these fields. Of a group with a dirty group card it reads the
 * cards instead. Where much is old, that card, the other cards of its group, the crossing map's
 * entry and the object that the field belongs to would be missed by the caches one after another.
 * Other collections flush the buffers first (spgc_remembered_open_cards): the groups get dirty
 * group cards.
 *
 * The first word of a buffer leads to the counts (heap->group_stores), and its fields are the words
 * from the second to below *cursor. A group may have more buffered fields than it counts, because
 * mutators store at the same time. docs/heap.md, "Cards and crossing maps", has the invariants.
 *
 * Sources: sequential store buffers are compared with cards by Hosking, Moss and Stefanovic, "A
 * comparative performance evaluation of write barrier implementations" (1992). Both are joined by
 * Hosking and Hudson, "Remembered sets can also play cards" (1993).
 */
#ifndef SPGC_HEAP_REMEMBERED_BUFFERS_H
#define SPGC_HEAP_REMEMBERED_BUFFERS_H

#include "heap/heap.h"
#include "spgc/thread.h"

/* Of one thread. */
struct spgc_store_buffer {
  struct spgc_store_buffer *next; /* of all, in heap->store_buffers */
  uintptr_t first;                /* its first field: the second word; constant */
  uintptr_t *cursor; /* the next free word, in the thread's words: written as spgc/thread.h says */
};

/* Maps an empty buffer. False when the system refuses. */
bool spgc_store_buffer_create(struct spgc_store_buffer *buffer);
void spgc_store_buffer_destroy(struct spgc_store_buffer *buffer);

/* Adds a buffer to the heap's, or removes it. `cursor` is the thread's word, which is set. Who
 * removes it has flushed it. */
void spgc_store_buffer_add(struct spgc_heap *heap, struct spgc_store_buffer *buffer,
                           uintptr_t *cursor);
void spgc_store_buffer_remove(struct spgc_heap *heap, struct spgc_store_buffer *buffer);

/* How many fields it holds. */
static inline uint32_t spgc_store_buffer_count(const struct spgc_store_buffer *buffer) {
  return (uint32_t)((*buffer->cursor - buffer->first) / SPGC_WORD_BYTES);
}

static inline const struct spgc_slot *
spgc_store_buffer_fields(const struct spgc_store_buffer *buffer) {
  return (const struct spgc_slot *)buffer->first;
}

/* Makes the groups of its fields dirty, and empties it. */
void spgc_store_buffer_flush(struct spgc_heap *heap, struct spgc_store_buffer *buffer);

/* Flushes all buffers, so that the cards tell all that they tell. A collection that scans fields in
 * buffers does without. */
void spgc_remembered_open_cards(struct spgc_heap *heap);

/* Empties all buffers, whose fields were scanned. */
void spgc_store_buffers_empty(const struct spgc_heap *heap);

/* How many fields all buffers hold. */
uint32_t spgc_store_buffers_count(const struct spgc_heap *heap);

#endif
