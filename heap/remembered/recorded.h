/* Slots that a trace records for a later phase. A marking records fields that refer into candidate
 * blocks (gc/trace/mark.h); an evacuation, weak elements (gc/weak/weak_field.h).
 *
 * Invariant after each collection: a field of a scanned object that refers into a candidate block
 * is recorded, or is on a card that the marking has yet to scan, unless there were too many. Weak
 * elements are recorded when the marking ends.
 *
 * A slot may be recorded twice, and its word may have changed when it is used. Each collection
 * visits the roots, which are not recorded. */
#ifndef SPGC_HEAP_REMEMBERED_RECORDED_H
#define SPGC_HEAP_REMEMBERED_RECORDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spgc/ref.h"

struct spgc_heap;

enum { SPGC_RECORDED_SLOTS = 511 }; /* a chunk is a page of 4 KiB */

struct spgc_recorded_chunk {
  uint64_t count;
  struct spgc_slot slots[SPGC_RECORDED_SLOTS];
};

/* Written by the thread that holds the cycle, except `taken`. */
struct spgc_recorded {
  struct spgc_recorded_chunk *chunks; /* mapped on first use */
  uint32_t capacity;                  /* constant */
  uint32_t taken; /* by recorders, atomically; more than `capacity` if some got none */
};

/* Written by one scanner or evacuator. The thread that holds the cycle clears it. */
struct spgc_recorder {
  struct spgc_recorded_chunk *chunk;
};

/* False if the system refuses memory. */
bool spgc_recorded_open(struct spgc_recorded *recorded);

/* Also returns the pages to the system. */
void spgc_recorded_forget(struct spgc_recorded *recorded);
void spgc_recorded_destroy(struct spgc_recorded *recorded);

static inline bool spgc_recorded_is_full(const struct spgc_recorded *recorded) {
  return __atomic_load_n(&recorded->taken, __ATOMIC_RELAXED) > recorded->capacity;
}

static inline uint32_t spgc_recorded_chunks(const struct spgc_recorded *recorded) {
  return spgc_recorded_is_full(recorded) ? recorded->capacity : recorded->taken;
}

/* False if it is full. Recorders run at the same time. */
bool spgc_recorded_add(struct spgc_recorded *recorded, struct spgc_recorder *recorder,
                       struct spgc_slot slot);

/* The marking has found an object of candidate block `index`, or a slot that refers to one. With
 * too much work it is none any more. */
void spgc_candidate_add_work(struct spgc_heap *heap, uint32_t index);

/* A field of an old object that refers into candidate block `index`. */
void spgc_record(struct spgc_heap *heap, struct spgc_recorder *recorder, struct spgc_slot slot,
                 uint32_t index);

#endif
