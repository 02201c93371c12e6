/* The heap limit: what it admits, the reserves, and what the system has granted.
 *
 * A request is admitted if afterwards (in blocks):
 *
 *   large + old + young + copies(moving) <= limit
 *
 *   young       small objects of the nursery and of the request, and the reserves
 *   moving      young; under move=always also old
 *   copies(n)   the most that copies of n blocks' objects take: 4/3 n + 1, and one for each PLAB,
 *               because a block is closed when an object of up to a quarter of it does not fit
 *
 * This is the copy reserve of Appel's collector ("Simple generational garbage collection and fast
 * allocation", Software: Practice and Experience 19(2), 1989), for the nursery alone, with the
 * copies' fragmentation and without holes.
 *
 * Invariant (in blocks), except after the system has reduced the limit:
 *
 *   used + reserves <= limit
 *
 * A running hook takes its reserve without room for copies, because that room varies: pins hold
 * whole blocks, and move=always packs objects differently each time. A collection without enough
 * room runs in place. Copies may use reserves while they are made.
 *
 * The limit is `near` when less than a quarter of a nursery is used, and a quarter is not admitted.
 * Minor collections would run more than four times as often and free little, so the collector ends
 * a marking in progress, or collects everything. While there are holes, survivors go there, and a
 * nursery of one block is enough: collecting it takes 1/100 of a full collection's time. The limit
 * is `tight` when even that block is not admitted.
 *
 * A full collection relocates the objects of the sparsest old blocks (heap/relocation.h). There is
 * room when 1/8 of the limit is free, and a nursery of one block fits:
 *
 *                    with room                               without
 *   if               a cycle would compact (policy.h)    always
 *   most live        20 KiB, as there                        all but a full block
 *   most             all                                     until twice as much room is free
 *
 * The limit of a program that does not choose one:
 *
 *   max(2 MiB, min(3/4 memory, data / 2))
 *
 *   memory  the machine's, or what its control groups admit (gc/policy/machine.h)
 *   data    what RLIMIT_DATA leaves; half is left for malloc, stacks and tables
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

/* Bytes. The least is 64 blocks: a nursery of four, and some threads' reserves. The greatest is a
 * quarter of the largest range (SPGC_MOST_BLOCKS), in which single blocks and runs each have at
 * least the limit. */
#define SPGC_LEAST_LIMIT ((size_t)2 << 20)
#define SPGC_GREATEST_LIMIT ((size_t)1 << 44)

enum {
  /* Bytes for the out-of-memory hook of each attached thread, which is promised 64 KiB. Three
   * blocks hold that in small objects, because each is filled to at least 3/4; the fourth is for
   * rounding up a large object. */
  SPGC_RESERVE_BYTES = 4 * SPGC_BLOCK_BYTES,
};

_Static_assert(SPGC_RESERVE_BYTES >= 65536, "spgc_out_of_memory_hook promises 64 KiB");

struct spgc_limit {
  size_t option_blocks;   /* constant */
  bool moves_all;         /* constant */
  bool relocates_all;     /* constant: compact=always */
  bool counts_accessible; /* constant: the system counts accessible memory without pages */
  size_t blocks;          /* the option's, or what the system granted; written by each collection */
  size_t reserve_blocks;  /* for out-of-memory hooks; written by gc/tlab/reserve.c */
};

struct spgc_limit_choice {
  size_t bytes;
  char origin[512];
};

struct spgc_limit_choice spgc_limit_default(void);
void spgc_limit_start(struct spgc_limit *limit, const struct spgc_options *options);

/* Keeps `reserve_blocks`. */
bool spgc_limit_admits(const struct spgc_limit *limit, const struct spgc_heap *heap,
                       size_t small_bytes, size_t large_blocks, size_t reserve_blocks);

/* Not even a quarter of a nursery is admitted, so a marking in progress should end. */
bool spgc_limit_is_near(const struct spgc_limit *limit, const struct spgc_heap *heap,
                        size_t nursery_blocks);

/* Near, and without holes, or not even a block is admitted. */
bool spgc_limit_is_tight(const struct spgc_limit *limit, const struct spgc_heap *heap,
                         size_t nursery_blocks);

struct spgc_sparse spgc_limit_sparse(const struct spgc_limit *limit, const struct spgc_heap *heap);
size_t spgc_limit_free_blocks(const struct spgc_limit *limit, const struct spgc_heap *heap);
size_t spgc_limit_unreserved_blocks(const struct spgc_limit *limit, const struct spgc_heap *heap);

/* After the system refused blocks: requests a nursery and its copies, and sets the limit to what
 * was granted. Needs the world stopped. */
bool spgc_limit_negotiate(struct spgc_limit *limit, struct spgc_heap *heap, size_t nursery_blocks);

#endif
