/* Evacuation: the condemned objects that are reached move to old blocks; large ones are relabelled
 * where they are.
 *
 *   spgc_evacuation_begin_...  condemns the nursery, everything, or sparse old blocks
 *   spgc_evacuation_engage     if others may help
 *   spgc_evacuation_forward    for each root
 *   spgc_evacuation_scan_cards   when only the nursery is condemned: for each slot on a dirty card
 *   spgc_evacuation_update     when sparse blocks are condemned: for each slot of the others
 *   spgc_evacuation_drain      until nothing reachable is condemned
 *   spgc_evacuation_end        frees what is still condemned
 *
 * While it runs, the header of an object that moved holds its new address. Descriptors lie outside
 * the heap, so a header inside it is a forwarding address. Invariant: a slot of a survivor refers
 * to no condemned object, or waits in `soon` of a worker, or the survivor, the slot or a part of it
 * waits on a worker's stack or on the shared worklist, or in a block with copies_wait.
 *
 * An evacuation begins on the thread that collects. Once it has copied enough to show that there is
 * much to do, and has something to give, it calls workers; so it does to read the dirty cards when
 * there were many the last time. They share (gc/trace/shared_worklist.h) until nothing is left. No
 * block is read card by card or object by object while survivors are put in it: reading in parallel
 * only finds the slots that refer to condemned objects, and copying waits until it has ended.
 */
#ifndef SPGC_GC_TRACE_EVACUATE_H
#define SPGC_GC_TRACE_EVACUATE_H

#include "gc/trace/evacuator.h"
#include "gc/trace/worker_pool.h"

/* What of the old space is yet to be read in parallel. */
struct spgc_scan_progress {
  uint32_t first, end; /* blocks whose cards are read; `first` grows, and beyond `end` */
  uint32_t next, last; /* blocks whose objects are read, in the order of heap->old; `next` may be
                          SPGC_BLOCK_NONE. This and what follows under the heap's lock */
  uint32_t next_large, last_large; /* the same of heap->old_large */
  uint32_t part;                   /* of next_large */
};

struct spgc_evacuation {
  struct spgc_heap *heap;
  struct spgc_marker *marker; /* the marking that goes on meanwhile, or NULL */
  struct spgc_parallelism parallelism;
  struct spgc_scan_progress progress;
  uint64_t moved_objects, moved_bytes; /* these: sums over the workers, from the end on */
  uint64_t relabelled_bytes;           /* of large objects */
  uint64_t
      copying_ns; /* of scanning cards or objects in parallel, which copies between two turns */
  struct spgc_cards_read cards_read;
  struct spgc_evacuator workers[SPGC_MOST_WORKERS]; /* of which 1 + help.workers are in use; 0 is
                                                       the collecting thread */
};

/* Objects may have to move from `bytes` of small objects; this many blocks are needed at most when
 * nobody helps. */
size_t spgc_evacuation_blocks(size_t bytes);

/* The heap must have been prepared (spgc_blocks_prepare) for spgc_evacuation_blocks of what is
 * condemned. */
void spgc_evacuation_begin_minor(struct spgc_evacuation *evacuation, struct spgc_heap *heap,
                                 struct spgc_marker *marker);
void spgc_evacuation_begin_all(struct spgc_evacuation *evacuation, struct spgc_heap *heap,
                               struct spgc_random *shuffle);

enum {
  SPGC_SPARSE_DEFAULT = SPGC_BLOCK_BYTES / 4,
  SPGC_SPARSE_TIGHT = SPGC_BLOCK_BYTES / 4 * 3, /* when the limit is near */
};

/* Condemns old blocks of which at most `most_live` bytes live, as many as copies fit in
 * `free_blocks`. All blocks are swept, nothing is young. Returns how many bytes may have to move; 0
 * when that is not worth its trouble or the system refuses: nothing has begun then. */
size_t spgc_evacuation_begin_sparse(struct spgc_evacuation *evacuation, struct spgc_heap *heap,
                                    size_t most_live, size_t free_blocks);

/* After the beginning: accepts help, as far as the workers' PLABs find room, too, in `free_blocks`
 * beside the copies of `bytes`, and as far as a marking that goes on meanwhile accepts it; and
 * unless help has lately cost more than it brought. */
void spgc_evacuation_engage(struct spgc_evacuation *evacuation,
                            const struct spgc_parallelism *parallelism, size_t bytes,
                            size_t free_blocks);

void spgc_evacuation_forward(struct spgc_evacuation *evacuation, struct spgc_slot slot);
void spgc_evacuation_scan_cards(struct spgc_evacuation *evacuation);
void spgc_evacuation_update(struct spgc_evacuation *evacuation);
void spgc_evacuation_drain(struct spgc_evacuation *evacuation);
void spgc_evacuation_end(struct spgc_evacuation *evacuation);

/* The watch is told of what is reached from now on, by the collecting thread alone; NULL ends that.
 */
static inline void spgc_evacuation_set_hook(struct spgc_evacuation *evacuation,
                                            const struct spgc_trace_hook *hook) {
  evacuation->workers[0].hook = hook;
}

/* The marking that goes on meanwhile, or NULL. */
static inline struct spgc_marker *spgc_evacuation_marker(const struct spgc_evacuation *evacuation) {
  return evacuation->marker;
}

/* Copies what a speculation has reached, as far as so many entries lead. False when nothing more
 * was. */
bool spgc_evacuation_speculate_some(struct spgc_evacuation *evacuation, uint32_t entries);

/* What was condemned is the nursery again. No condemned object has moved or was relabelled,
 * whatever was copied. */
void spgc_evacuation_roll_back(struct spgc_evacuation *evacuation);

/* Does what waits on any worker's stack, in parallel: a step of the others. */
void spgc_evacuation_drain_parallel(struct spgc_evacuation *evacuation);

#endif
