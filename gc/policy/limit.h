/* The heap limit: what it admits, the reserves, and what the system has granted. docs/heap.md and
 * docs/policy.md, "Limit", have the formulas.
 *
 * Invariant (in blocks), unless the system has reduced the limit:
 *
 *   used + reserves <= limit, where limit.reserve_blocks == sum of reserve.blocks
 *
 * The limit is the option's if a nursery and its copies can be made accessible; else what is used
 * and accessible, until a later collection is granted them. */
#ifndef SPGC_GC_POLICY_LIMIT_H
#define SPGC_GC_POLICY_LIMIT_H

#include "heap/condemn.h"
#include "heap/heap.h"
#include "spgc/heap.h"

/* Bytes. The least is 64 blocks: a nursery of four, and some threads' reserves. The greatest is a
 * quarter of the largest range (SPGC_MOST_BLOCKS), where singles and runs each have the limit. */
#define SPGC_LEAST_LIMIT ((size_t)2 << 20)
#define SPGC_GREATEST_LIMIT ((size_t)1 << 44)

enum {
  /* Bytes for the out-of-memory hook of each attached thread, promised 64 KiB. Three blocks, each
   * filled to 3/4 at least, hold that in small objects; the fourth is for rounding up a large
   * one. */
  SPGC_RESERVE_BYTES = 4 * SPGC_BLOCK_BYTES,
};

_Static_assert(SPGC_RESERVE_BYTES >= 65536, "spgc_out_of_memory_hook promises 64 KiB");

struct spgc_limit {
  size_t option_blocks;   /* constant */
  bool moves_all;         /* constant */
  bool relocates_all;     /* constant: compact=always */
  bool counts_accessible; /* constant: the system counts accessible memory without pages */
  size_t blocks;          /* the option's, or what the system granted; written by collections */
  size_t reserve_blocks;  /* for out-of-memory hooks */
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

/* After the system refused blocks: requests a nursery and its copies; the limit is what was
 * granted. Needs the world stopped. */
bool spgc_limit_negotiate(struct spgc_limit *limit, struct spgc_heap *heap, size_t nursery_blocks);

/* Memory for a thread's out-of-memory hook only. A thread attaches only with a complete reserve.
 * Blocks that a hook takes count as used; collections refill the reserve. All accesses hold the
 * heap lock, or have the world stopped. */
struct spgc_reserve {
  size_t blocks;
  size_t advanced_blocks; /* to the running hook, beyond those that collections freed */
  bool is_promised;       /* was complete once */
};

/* Takes what the limit admits, with copies. Returns whether it is promised. */
bool spgc_reserve_take(struct spgc_reserve *reserve, struct spgc_limit *limit,
                       const struct spgc_heap *heap);

/* After a collection. *freed_blocks are those that no other reserve has taken. */
void spgc_reserve_refill(struct spgc_reserve *reserve, struct spgc_limit *limit,
                         const struct spgc_heap *heap, bool hook_runs, size_t *freed_blocks);

void spgc_reserve_release(struct spgc_reserve *reserve, struct spgc_limit *limit);

/* Whether the limit admits blocks above all reserves or, for a running hook, `from` its own.
 * Without, first takes, as above. */
bool spgc_reserve_admits(struct spgc_reserve *reserve, struct spgc_limit *limit,
                         const struct spgc_heap *heap, bool hook_runs, size_t blocks, bool is_large,
                         bool *from);

/* The hook has taken blocks, perhaps more than are left. */
void spgc_reserve_use(struct spgc_reserve *reserve, struct spgc_limit *limit, size_t blocks);

#endif
