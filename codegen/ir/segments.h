/* A function in segments: the parts of its blocks between safepoints. Within a segment no object
 * moves. Tells where a value lives, and so whether a safepoint lies between a definition and a use.
 *
 * A block with n safepoints has n + 1 segments; a safepoint ends its segment, and its result
 * belongs to the next. Segments are numbered in the order of the text. */
#ifndef SPGC_CODEGEN_IR_SEGMENTS_H
#define SPGC_CODEGEN_IR_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codegen/ir/values.h"

/* What ends a segment. */
enum safepoint_kind {
  SAFEPOINTS_CALLED,  /* calls that are no leaves */
  SAFEPOINTS_PLACED,  /* the statepoints, once RS4GC has run */
  SAFEPOINTS_POSSIBLE /* before polls are placed: calls, and the beginnings of rounds of loops */
};

struct segment_block {
  LLVMBasicBlockRef block;
  unsigned first, last; /* segments */
  /* Of the search for a value: the last one that came here, how far it came in the block, and the
   * block that is followed next. */
  unsigned search, reached, next;
};

/* Zero-initialised, of no function. Meanwhile no block may change its successors. */
struct segments {
  LLVMValueRef function;
  enum safepoint_kind kind;
  struct segment_block *blocks;
  struct values block_values; /* a block's place is its number */
  unsigned block_count, count, safepoint_count;
  struct values instructions; /* all, as they were */
  unsigned *of_instruction;   /* the segment that each stands in */
  unsigned instruction_capacity;
  LLVMValueRef *front; /* of each segment: what is inserted at its start stands before this */
  unsigned *block_of;  /* of each segment */
  unsigned search;
  /* What searches note, where it is not NULL: of each segment, for the safepoint that ends it, a
   * set of so many words. The next value is this member of the sets that it crosses. */
  uint64_t *crossed;
  unsigned words, member;
};

/* Reads a function, unless it is the one that was read last. */
void spgc_segments_read(struct segments *segments, LLVMValueRef function, enum safepoint_kind kind);
void spgc_segments_free(struct segments *segments);

/* Adds an instruction that was inserted in the segment, so that the functions below know it. */
void spgc_segments_add(struct segments *segments, LLVMValueRef instruction, unsigned segment);

/* The segment at whose start, or in which, the value comes to be, in the block that computes it. */
unsigned spgc_segment_behind(const struct segments *segments, LLVMValueRef value);

/* The same, where there is a place to store the value: of an invoke, in the block that it leads to;
 * SEGMENT_NONE if other edges lead there, too. */
#define SEGMENT_NONE UINT_MAX
unsigned spgc_segment_of_definition(const struct segments *segments, LLVMValueRef value);

/* Calls `use` for each use of the value: with the user, its operand, and the segment in which the
 * value is read; of a phi, the last one of the block that the value comes from. SEGMENT_NONE if
 * that block ends in a safepoint. */
typedef void segment_use(void *context, LLVMValueRef user, unsigned operand, unsigned segment);
void spgc_segments_each_use(const struct segments *segments, LLVMValueRef value, segment_use *use,
                            void *context);

/* Where a value lives: a hull of segments, and how many safepoints it crosses. */
struct live_range {
  unsigned first, last;
  size_t crossed;
  bool crosses_at_edge;      /* it is used by a phi behind a safepoint that ends a block */
  LLVMValueRef user_crossed; /* the first user found that is behind a safepoint, or NULL */
};

void spgc_live_range_find(struct segments *segments, LLVMValueRef value, unsigned definition,
                          struct live_range *range);

/* Whether a safepoint lies between the value's definition and this instruction, which uses it, on
 * some path. What a phi uses, it uses at the end of the block that it comes from. */
bool spgc_safepoint_lies_between(struct segments *segments, LLVMValueRef value, LLVMValueRef use);

#endif
