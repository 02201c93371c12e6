/* The objects of a heap snapshot, which are all reachable, and their numbers.
 *
 *   starts         bit for each word of the blocks in use once: a reached object begins there
 *   before_word    objects of the block that begin before each group of 64 words
 *   before_block   objects in all earlier blocks
 *
 *   number(object) == before_block + before_word + (bits set in its group before its own)
 *
 * If the stack is full, an object's block is flagged, and searched again.
 *
 * It is made in a forked child, where nothing else runs. The heap's mark bits belong to the
 * collector. */
#ifndef SPGC_OBSERVE_SNAPSHOT_REACHABLE_H
#define SPGC_OBSERVE_SNAPSHOT_REACHABLE_H

#include "heap/heap.h"

struct spgc_reachable {
  const struct spgc_heap *heap;
  uint32_t first_block, block_count; /* the blocks with entries */
  spgc_mark_words *starts;
  uint16_t (*before_word)[SPGC_MARK_WORDS];
  uint64_t *before_block;
  bool *waits; /* blocks with reached objects that are not scanned yet */
  bool any_waits;
  struct spgc_ref *stack;
  size_t height;
  uint64_t count; /* once numbered */

  /* Called at each scan of an object, or NULL. It may reach others. */
  void (*hook)(struct spgc_reachable *reachable, struct spgc_ref object);
};

/* False if the system refuses memory, which is freed when the process ends. */
bool spgc_reachable_create(struct spgc_reachable *reachable, const struct spgc_heap *heap);

/* Ignores words that are not objects. */
void spgc_reachable_reach(struct spgc_reachable *reachable, struct spgc_ref object);

void spgc_reachable_drain(struct spgc_reachable *reachable);
bool spgc_reachable_has(const struct spgc_reachable *reachable, struct spgc_ref object);

/* From 0, by address. Nothing is reached afterwards. */
void spgc_reachable_number_all(struct spgc_reachable *reachable);

uint64_t spgc_reachable_number(const struct spgc_reachable *reachable, struct spgc_ref object);

/* In the order of their numbers. */
void spgc_reachable_each(const struct spgc_reachable *reachable,
                         void (*visit)(void *context, struct spgc_ref object), void *context);

#endif
