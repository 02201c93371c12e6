/* The heap limit: what a request is admitted, the reserves, and what the system has granted.
 *
 * A request is admitted if afterwards (all in blocks):
 *
 *   large + old + young + copies(moving) <= limit
 *
 *   young       blocks of the nursery's small objects, the requested ones and the reserves
 *   moving      young; with move=always also old, because all small objects are copied then
 *   copies(n)   the most blocks that copies of n blocks' objects can take: 4/3 n + 1, and an open
 *               block for each PLAB, because a block is closed when an object of up to a quarter
 *               of it does not fit (heap/geometry.h)
 *
 * So a collection finds room for its copies below the limit. It is the copy reserve of Appel's
 * collector ("Simple generational garbage collection and fast allocation", Software: Practice and
 * Experience 19(2), 1989), for the nursery alone, with the fragmentation of the copies counted.
 * Holes between old objects are not counted on.
 *
 * Invariant (in blocks), except after the system has reduced the limit:
 *
 *   used + reserves <= limit
 *
 * A running hook takes its reserve without room for copies, because that room changes with every
 * collection: pins hold whole blocks, and move=always packs objects differently each time. A
 * collection without enough room for copies runs in place. Copies may use reserves while they are
 * made.
 *
 * The limit is `near` when less than a quarter of a nursery is used, and a quarter is not admitted.
 * Minor collections would run more than four times as often as planned, and each would free less
 * than a quarter of a nursery, so the collector turns to the old space: it ends a marking in
 * progress, or collects everything. But while there are holes, survivors go there, and a nursery of
 * one block is enough: collecting it takes a hundredth of the time of a full collection, which
 * would only turn the holes into free blocks. The limit is `tight` when even that block is not
 * admitted.
 *
 * A full collection evacuates the sparsest old blocks (as Immix defragments: Blackburn and
 * McKinley, "Immix: a mark-region garbage collector", PLDI 2008):
 *
 *                    with room                               without
 *   most live        8 KiB, a quarter of a block             28 KiB, seven eighths
 *   least blocks     2, and 1/16 of the old blocks: less     2: a block is worth having
 *                    is not worth a second walk of all roots
 *   rounds           1                                       until there is room, at most 8;
 *                                                            near the limit, as many as free blocks
 *
 * There is room when an eighth of the limit is free: enough for some time before the next full
 * collection. Each round copies into the blocks that the last one freed.
 *
 * The limit of a program that does not choose one:
 *
 *   max(2 MiB, min(3/4 memory, data / 2))
 *
 *   memory  the machine's, or what its control groups admit (gc/policy/machine_memory.h); a quarter
 *           is left for the rest of the process and for others
 *   data    what RLIMIT_DATA leaves; half is left for malloc, stacks and tables beside the heap
 *
 * A limit that the system does not grant (RLIMIT_DATA, strict overcommit):
 *
 *   limit = option                   when a nursery and its copies can be made accessible
 *         = used + accessible blocks otherwise, until a later collection is granted them */
#ifndef SPGC_GC_POLICY_LIMIT_H
#define SPGC_GC_POLICY_LIMIT_H

#include "heap/condemn.h"
#include "heap/heap.h"
#include "spgc/heap.h"

/* Bytes. The least limit is 64 blocks: a nursery of four, and the reserves of some threads. The
 * greatest is a quarter of the largest range (SPGC_MOST_BLOCKS), in which single blocks and runs
 * each have at least the limit. */
#define SPGC_LEAST_LIMIT ((size_t)2 << 20)
#define SPGC_GREATEST_LIMIT ((size_t)1 << 44)

enum {
  SPGC_MOST_ROUNDS = 8, /* of a full collection, to make room */

  /* Bytes kept for the out-of-memory hook of each attached thread, which is promised 64 KiB. Three
   * blocks hold that much in small objects, because each is filled to at least 3/4. The fourth is
   * for rounding up a large object. */
  SPGC_RESERVE_BYTES = 4 * SPGC_BLOCK_BYTES,
};

_Static_assert(SPGC_RESERVE_BYTES >= 65536, "spgc_out_of_memory_hook promises 64 KiB");

struct spgc_limit {
  size_t option_blocks;  /* of the option; constant */
  bool moves_all;        /* move=always; constant */
  size_t blocks;         /* the option's, or less if the system has granted less: each collection */
  size_t reserve_blocks; /* for out-of-memory hooks: gc/allocation/out_of_memory.c */
};

/* A chosen limit, and its origin in words for the log. */
struct spgc_limit_choice {
  size_t bytes;
  char origin[512];
};

/* The limit of a program that does not choose one. */
struct spgc_limit_choice spgc_limit_default(void);

void spgc_limit_start(struct spgc_limit *limit, const struct spgc_options *options);

/* Whether the limit admits this many more bytes of small objects, or another run of large blocks,
 * with `reserve_blocks` kept. */
bool spgc_limit_admits(const struct spgc_limit *limit, const struct spgc_heap *heap,
                       size_t small_bytes, size_t large_blocks, size_t reserve_blocks);

/* Whether the limit does not admit even a quarter of a nursery of `nursery_blocks`, so that a
 * marking in progress should end. */
bool spgc_limit_is_near(const struct spgc_limit *limit, const struct spgc_heap *heap,
                        size_t nursery_blocks);

/* Whether it is near, and there are no holes, or not even a block is admitted: a minor collection
 * would make little room. */
bool spgc_limit_is_tight(const struct spgc_limit *limit, const struct spgc_heap *heap,
                         size_t nursery_blocks);

/* Whether enough of the limit is free to keep the next full collection far away. */
bool spgc_limit_has_room(const struct spgc_limit *limit, const struct spgc_heap *heap);

/* Which old blocks a full collection evacuates. */
struct spgc_sparse spgc_limit_sparse(const struct spgc_limit *limit, const struct spgc_heap *heap);

size_t spgc_limit_free_blocks(const struct spgc_limit *limit, const struct spgc_heap *heap);

/* Free blocks less the reserves for out-of-memory hooks. */
size_t spgc_limit_unreserved_blocks(const struct spgc_limit *limit, const struct spgc_heap *heap);

/* Whether the system has granted less than the option requests. */
static inline bool spgc_limit_is_reduced(const struct spgc_limit *limit) {
  return limit->blocks != limit->option_blocks;
}

/* The system refused blocks, now or before. Requests a nursery of `nursery_blocks` and its copies,
 * and sets the limit to what was granted. Returns whether all were. With the world stopped. */
bool spgc_limit_negotiate(struct spgc_limit *limit, struct spgc_heap *heap, size_t nursery_blocks);

#endif
