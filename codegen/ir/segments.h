/* Segments are the parts of blocks between safepoints; no object moves within one. A block with n
 * safepoints has n + 1, in text order. A safepoint ends its segment, and its result belongs to the
 * next. */
#ifndef SPGC_CODEGEN_IR_SEGMENTS_H
#define SPGC_CODEGEN_IR_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codegen/ir/values.h"

enum safepoint_kind {
  SAFEPOINTS_CALLED,
  SAFEPOINTS_PLACED,  /* statepoints, once RS4GC has run */
  SAFEPOINTS_POSSIBLE /* calls, and starts of loop iterations: until polls are placed */
};

struct segment_block {
  LLVMBasicBlockRef block;
  unsigned first, last;
  /* The last search that reached the block, the segment it got to, and the next block. */
  unsigned search, reached, next;
};

/* Zero-initialised. Blocks must keep their successors while it is in use. */
struct segments {
  LLVMValueRef function;
  enum safepoint_kind kind;
  struct segment_block *blocks;
  struct values block_values; /* index = block number */
  unsigned block_count, count, safepoint_count;
  struct values definitions; /* when read: parameters and instructions */
  unsigned *of_definition;   /* their segments */
  unsigned definition_capacity;
  LLVMValueRef *front; /* insert at a segment's start before this instruction */
  unsigned *block_of;  /* each segment's */
  unsigned search;
  /* Each segment's values that cross the safepoint at its end, or NULL; searches enter number
   * `member`. */
  uint64_t *crossed;
  unsigned words, member;
};

/* Does nothing for the function read last. */
void spgc_segments_read(struct segments *segments, LLVMValueRef function, enum safepoint_kind kind);
void spgc_segments_free(struct segments *segments);

void spgc_segments_add(struct segments *segments, LLVMValueRef value, unsigned segment);

/* The segment in which, or at whose start, the value's own block defines it. */
unsigned spgc_segment_behind(const struct segments *segments, LLVMValueRef value);

/* Where the value can be stored: for an invoke, in the block that it leads to; SEGMENT_NONE if that
 * has other predecessors. */
#define SEGMENT_NONE UINT_MAX
unsigned spgc_segment_of_definition(const struct segments *segments, LLVMValueRef value);

/* For a phi, the last segment of the incoming block, or SEGMENT_NONE if that block ends in a
 * safepoint. */
typedef void segment_use(void *context, LLVMValueRef user, unsigned operand, unsigned segment);
void spgc_segments_each_use(const struct segments *segments, LLVMValueRef value, segment_use *use,
                            void *context);

/* A hull of the segments in which a value is live. */
struct live_range {
  unsigned first, last;
  size_t crossed;
  bool crosses_at_edge;      /* a phi uses it after a safepoint that ends a block */
  LLVMValueRef user_crossed; /* the first user found after a safepoint, or NULL */
};

void spgc_live_range_find(struct segments *segments, LLVMValueRef value, unsigned definition,
                          struct live_range *range);

/* Whether some path to this use has a safepoint. A phi uses a value at the incoming block's end. */
bool spgc_safepoint_lies_between(struct segments *segments, LLVMValueRef value, LLVMValueRef use);

#endif
