/* How much memory the heap may take, and when it collects.
 *
 * The old space's size is one of three: proportional to what lives in it (the default; `growth`), as large as the limit
 * lets it be (SPGC_GROWTH_TO_LIMIT), or proportional until the limit is near.
 *
 * Invariant: blocks in use + blocks that copies of all young small objects can take <= limit, so that every collection
 * finds room for its copies below the limit. With move=always all small objects are copied, old ones too.
 */
#ifndef SPGC_GC_POLICY_SIZING_H
#define SPGC_GC_POLICY_SIZING_H

#include "gc/trace/cycle.h"
#include "heap/heap.h"
#include "spgc/heap.h"

#define SPGC_LEAST_LIMIT ((size_t)2 << 20)
#define SPGC_GREATEST_LIMIT ((size_t)1 << 44)

enum {
  SPGC_LEAST_NURSERY_BYTES = 2 << 20,    /* while much survives: a collection copies no more than that */
  SPGC_CACHED_NURSERY_BYTES = 8 << 20,   /* near what caches hold: enough where little survives */
  SPGC_LARGEST_NURSERY_BYTES = 64 << 20, /* where objects die in middle age, and much lives anyway */
  SPGC_PAUSE_NS = 3000000,               /* what a minor collection should take at most */
  SPGC_GROWTH = 100,                     /* percent of what lives */
  SPGC_GREATEST_GROWTH = 10000,
  SPGC_RESERVE_BYTES = 4 * SPGC_BLOCK_BYTES, /* kept for the out-of-memory hook of each attached thread */
};

_Static_assert(SPGC_RESERVE_BYTES >= 65536, "spgc_out_of_memory_hook promises 64 KiB");

struct spgc_sizing {
  size_t limit_blocks;   /* the option's, or what the system has granted where that is less: each collection */
  size_t option_blocks;  /* the option's limit; constant */
  bool moves_all;        /* constant */
  uint32_t growth;       /* constant; percent, or SPGC_GROWTH_TO_LIMIT */
  uint64_t pause_ns;     /* constant; 0: copying takes as long as it takes */
  size_t budget_blocks;  /* small and large ones allocated until the next minor collection: one of the next two, or less
                            while nurseries are promoted in place; each collection */
  size_t nursery_blocks; /* as much as can be copied in a short time, or is held by caches: each collection */
  size_t speculation_blocks; /* where copying may be given up; not used if less than nursery_blocks: each collection */
  size_t least_nursery_blocks, most_nursery_blocks; /* what nursery_blocks may become; constant */
  size_t most_speculation_blocks;                       /* what speculation_blocks may; constant */
  size_t promotion_blocks;                          /* of nurseries that may yet be promoted in place: each collection */
  uint32_t confidence;                              /* how many times what survived may be: each collection */
  size_t dirty_cards, dirty_small_cards, dirty_after; /* so many were, after a nursery of so many blocks: each
                                                         collection */
  size_t recent_live;    /* bytes found live by the last markings, of old ones less: each collection */
  size_t recent_blocks;  /* most that were in use at once lately: each collection */
  size_t mutators;       /* attached ones, each of which may have a block of a nursery however small */
  size_t reserve_blocks; /* kept for out-of-memory hooks: gc/mutator/out_of_memory.c */
};

void spgc_sizing_start(struct spgc_sizing *sizing, const struct spgc_options *options);

/* Whether the limit admits this many more bytes of small objects, or another run of large blocks, with
 * `reserve_blocks` kept. */
bool spgc_sizing_admits(const struct spgc_sizing *sizing, const struct spgc_heap *heap, size_t small_bytes,
                        size_t large_blocks, size_t reserve_blocks);

/* Whether the nursery has room for this many more blocks; an empty nursery has room for any large object. */
bool spgc_sizing_nursery_has_space(const struct spgc_sizing *sizing, const struct spgc_heap *heap, size_t blocks);

/* Whether the limit is so near that not even a small nursery was admitted: a minor collection would make little room.
 */
bool spgc_sizing_is_tight(const struct spgc_sizing *sizing, const struct spgc_heap *heap);

/* The system refused blocks: the limit is what it has granted until it grants a nursery and its copies. With the world
 * stopped. */
void spgc_sizing_note_refusal(struct spgc_sizing *sizing, struct spgc_heap *heap);

/* Blocks below the limit that are not in use. */
size_t spgc_sizing_free_blocks(const struct spgc_sizing *sizing, const struct spgc_heap *heap);

/* As many less the reserves for out-of-memory hooks. */
size_t spgc_sizing_unreserved_blocks(const struct spgc_sizing *sizing, const struct spgc_heap *heap);

/* Whether the old space has grown enough since the last cycle for the next one. */
bool spgc_sizing_begins_cycle(const struct spgc_sizing *sizing, const struct spgc_heap *heap,
                              const struct spgc_cycle *cycle);

/* Whether that one shall mark in part only. */
bool spgc_sizing_marks_in_part(const struct spgc_sizing *sizing, const struct spgc_heap *heap,
                               const struct spgc_cycle *cycle);

/* Whether the old space has grown so much since the cycle's phase began that mutators should help to end it. */
bool spgc_sizing_cycle_lags(const struct spgc_sizing *sizing, const struct spgc_heap *heap,
                            const struct spgc_cycle *cycle);

/* Whether to promote the nursery in place: most of the last one survived, and the old space is not so large, for the
 * bytes that were found live in it, that copies should rather fill the room between old objects. */
bool spgc_sizing_promotes(const struct spgc_sizing *sizing, const struct spgc_heap *heap, size_t live_bytes);

/* Whether many crossing map will be needed of what is promoted in place: many cards of small objects were dirty lately. */
bool spgc_sizing_expects_crossing_maps(const struct spgc_sizing *sizing);

/* Whether to give up copying what survives when it takes too long: the nursery is worth it, and may be promoted. */
bool spgc_sizing_speculates(const struct spgc_sizing *sizing, const struct spgc_heap *heap, size_t live_bytes);

/* What a collection did. */
struct spgc_collected {
  bool full;              /* a marking ended */
  bool asked_full;        /* the whole of the old space was collected at once */
  bool promoted;          /* the nursery became old where it was */
  bool speculated;         /* copying was tried; if it was promoted all the same, that was given up */
  size_t blocks_before;   /* in use as it began */
  bool marking;           /* a marking is under way */
  size_t condemned_bytes; /* small objects of the nursery */
  size_t moved_bytes;
  struct spgc_cards_read cards_read;
  uint64_t pause_ns;
  size_t live_bytes; /* of the old space, by the last full marking */
};

/* To be told after each collection. */
void spgc_sizing_collected(struct spgc_sizing *sizing, struct spgc_heap *heap, const struct spgc_collected *collected);

#endif
