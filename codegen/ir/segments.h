/* A function in segments: the parts of its blocks between safepoints. Within a segment no object
 * moves.
 *
 * A block with n safepoints has n + 1 segments; a safepoint ends its segment, and its result
 * belongs to the next. Segments are numbered in the order of the text. */
#ifndef SPGC_CODEGEN_IR_SEGMENTS_H
#define SPGC_CODEGEN_IR_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "codegen/ir/values.h"

struct segment_block {
  LLVMBasicBlockRef block;
  unsigned first, last; /* segments */
};

struct segments {
  LLVMValueRef function;
  struct segment_block *blocks;
  struct values block_values; /* a block's place is its number */
  unsigned block_count, count, safepoint_count;
  struct values instructions; /* all, as they were */
  unsigned *of_instruction;   /* the segment that each stands in */
  unsigned instruction_capacity;
  LLVMValueRef *front; /* of each segment: what is inserted at its start stands before this */
  unsigned *block_of;  /* of each segment */
};

void spgc_segments_find(struct segments *segments, LLVMValueRef function);
void spgc_segments_free(struct segments *segments);

/* Adds an instruction that was inserted in the segment, so that the functions below know it. */
void spgc_segments_add(struct segments *segments, LLVMValueRef instruction, unsigned segment);

unsigned spgc_segments_block(const struct segments *segments, LLVMBasicBlockRef block);

/* The segment at whose start, or in which, the value comes to be; SEGMENT_NONE if that is on an
 * edge with other edges beside it. */
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
  bool crosses_at_edge; /* it is used by a phi behind a safepoint that ends a block */
};

/* What following values back from their uses takes. Zero-initialised before the first. */
struct live_search {
  unsigned *met;     /* of each block: the last search that came to its end */
  unsigned *reached; /* of each block: the last segment with a use, in this search */
  unsigned *pending; /* numbers of blocks */
  unsigned pending_count, number;
  uint64_t *crossed; /* NULL, or of each segment: a set, for the safepoint that ends it */
  unsigned words;    /* of a set */
  unsigned member;   /* of the sets of all safepoints that the next value crosses */
};

void spgc_live_search_begin(struct live_search *search, const struct segments *segments);
void spgc_live_search_end(struct live_search *search);
void spgc_live_range_find(struct live_search *search, const struct segments *segments,
                          LLVMValueRef value, unsigned definition, struct live_range *range);

#endif
