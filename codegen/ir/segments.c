#include "codegen/ir/segments.h"

#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"
#include "support/fatal.h"

static bool starts_block(LLVMValueRef instruction) {
  return LLVMIsAPHINode(instruction) != NULL || LLVMIsALandingPadInst(instruction) != NULL ||
         LLVMIsAAllocaInst(instruction) != NULL;
}

void spgc_segments_add(struct segments *segments, LLVMValueRef instruction, unsigned segment) {
  unsigned number = segments->instructions.count;
  if (number == segments->instruction_capacity) {
    segments->instruction_capacity = 2 * number + 64;
    segments->of_instruction = reallocarray(
        segments->of_instruction, segments->instruction_capacity, sizeof *segments->of_instruction);
    spgc_require(segments->of_instruction != NULL, "out of memory");
  }
  spgc_values_add(&segments->instructions, instruction);
  segments->of_instruction[number] = segment;
}

static void count(struct segments *segments) {
  IR_EACH_BLOCK (block, segments->function) {
    segments->block_count++;
    segments->count++;
    spgc_values_add(&segments->block_values, LLVMBasicBlockAsValue(block));
    IR_EACH_INSTRUCTION (instruction, block)
      segments->safepoint_count += spgc_ir_is_safepoint(instruction);
  }
  segments->count += segments->safepoint_count;
}

static void read_block(struct segments *segments, unsigned number, unsigned *segment) {
  struct segment_block *read = &segments->blocks[number];
  read->first = *segment;
  IR_EACH_INSTRUCTION (instruction, read->block) {
    segments->block_of[*segment] = number;
    if (segments->front[*segment] == NULL && !starts_block(instruction))
      segments->front[*segment] = instruction;
    spgc_segments_add(segments, instruction, *segment);
    *segment += spgc_ir_is_safepoint(instruction);
  }
  segments->block_of[*segment] = number; /* empty behind an invoke */
  read->last = (*segment)++;
}

void spgc_segments_find(struct segments *segments, LLVMValueRef function) {
  *segments = (struct segments){.function = function};
  count(segments);
  segments->blocks = spgc_zeroed(segments->block_count, sizeof *segments->blocks);
  segments->front = spgc_zeroed(segments->count, sizeof *segments->front);
  segments->block_of = spgc_zeroed(segments->count, sizeof *segments->block_of);
  unsigned segment = 0;
  for (unsigned i = 0; i < segments->block_count; i++) {
    segments->blocks[i].block = LLVMValueAsBasicBlock(segments->block_values.at[i]);
    read_block(segments, i, &segment);
  }
}

void spgc_segments_free(struct segments *segments) {
  free(segments->blocks);
  free(segments->of_instruction);
  free((void *)segments->front);
  free(segments->block_of);
  spgc_values_free(&segments->block_values);
  spgc_values_free(&segments->instructions);
}

unsigned spgc_segments_block(const struct segments *segments, LLVMBasicBlockRef block) {
  unsigned number = spgc_values_find(&segments->block_values, LLVMBasicBlockAsValue(block));
  spgc_require(number != VALUES_MISSING, "a block of another function");
  return number;
}

static unsigned segment_of(const struct segments *segments, LLVMValueRef instruction) {
  unsigned number = spgc_values_find(&segments->instructions, instruction);
  spgc_require(number != VALUES_MISSING, "an instruction that is new");
  return segments->of_instruction[number];
}

/* A block's first segment, if the block is entered from one other only. */
static unsigned segment_of_edge(const struct segments *segments, LLVMBasicBlockRef block) {
  unsigned edges = 0;
  IR_EACH_EDGE (edge, block)
    edges++;
  return edges == 1 ? segments->blocks[spgc_segments_block(segments, block)].first : SEGMENT_NONE;
}

unsigned spgc_segment_of_definition(const struct segments *segments, LLVMValueRef value) {
  if (LLVMIsAArgument(value) != NULL)
    return 0;
  if (LLVMIsAInvokeInst(value) != NULL)
    return segment_of_edge(segments, LLVMGetNormalDest(value));
  if (LLVMIsATerminatorInst(value) != NULL)
    return SEGMENT_NONE;
  return segment_of(segments, value) + spgc_ir_is_safepoint(value);
}

static void each_use_by_phi(const struct segments *segments, LLVMValueRef value, LLVMValueRef phi,
                            segment_use *use, void *context) {
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    if (LLVMGetIncomingValue(phi, i) != value)
      continue;
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    bool ends_in_safepoint = spgc_ir_is_safepoint(LLVMGetBasicBlockTerminator(from));
    unsigned last = segments->blocks[spgc_segments_block(segments, from)].last;
    use(context, phi, i, ends_in_safepoint ? SEGMENT_NONE : last);
  }
}

void spgc_segments_each_use(const struct segments *segments, LLVMValueRef value, segment_use *use,
                            void *context) {
  struct values users = {0};
  for (LLVMUseRef each = LLVMGetFirstUse(value); each != NULL; each = LLVMGetNextUse(each))
    if (!spgc_values_contain(&users, LLVMGetUser(each)))
      spgc_values_add(&users, LLVMGetUser(each));
  for (unsigned i = 0; i < users.count; i++) {
    LLVMValueRef user = users.at[i];
    if (LLVMIsAPHINode(user) != NULL) {
      each_use_by_phi(segments, value, user, use, context);
      continue;
    }
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(user); k++)
      if (LLVMGetOperand(user, k) == value)
        use(context, user, k, segment_of(segments, user));
  }
  spgc_values_free(&users);
}

/* ---- Live ranges ---- */

void spgc_live_search_begin(struct live_search *search, const struct segments *segments) {
  *search = (struct live_search){
      .met = spgc_zeroed(segments->block_count, sizeof *search->met),
      .reached = spgc_zeroed(segments->block_count, sizeof *search->reached),
      .pending = spgc_zeroed(segments->block_count, sizeof *search->pending),
  };
}

void spgc_live_search_end(struct live_search *search) {
  free(search->met);
  free(search->reached);
  free(search->pending);
  free(search->crossed);
}

struct ranging {
  struct live_search *search;
  const struct segments *segments;
  struct live_range *range;
  unsigned definition;
};

static void note_crossed(struct live_search *search, unsigned first, unsigned end) {
  enum { BITS = 64 };
  for (unsigned i = first; search->crossed != NULL && i < end; i++)
    search->crossed[(size_t)i * search->words + search->member / BITS] |=
        UINT64_C(1) << (search->member % BITS);
}

/* The value is live in the block up to the segment. In the block of the definition the range begins
 * there, in others with the block. */
static void reach(struct ranging *ranging, unsigned block, unsigned segment) {
  struct live_search *search = ranging->search;
  const struct segment_block *reached = &ranging->segments->blocks[block];
  bool defines =
      ranging->segments->block_of[ranging->definition] == block && segment >= ranging->definition;
  unsigned from = defines ? ranging->definition : reached->first;
  if (search->met[block] != search->number) {
    search->met[block] = search->number;
    search->reached[block] = from;
    if (!defines)
      search->pending[search->pending_count++] = block;
  }
  unsigned before = search->reached[block];
  if (segment > before) {
    ranging->range->crossed += segment - before;
    search->reached[block] = segment;
    note_crossed(search, before, segment);
  }
  if (from < ranging->range->first)
    ranging->range->first = from;
  if (segment > ranging->range->last)
    ranging->range->last = segment;
}

static void reach_use(void *context, LLVMValueRef user, unsigned operand, unsigned segment) {
  struct ranging *ranging = context;
  if (segment != SEGMENT_NONE) {
    reach(ranging, ranging->segments->block_of[segment], segment);
    return;
  }
  LLVMBasicBlockRef from = LLVMGetIncomingBlock(user, operand);
  unsigned block = spgc_segments_block(ranging->segments, from);
  ranging->range->crosses_at_edge = true;
  reach(ranging, block, ranging->segments->blocks[block].last);
}

void spgc_live_range_find(struct live_search *search, const struct segments *segments,
                          LLVMValueRef value, unsigned definition, struct live_range *range) {
  struct ranging ranging = {search, segments, range, definition};
  *range = (struct live_range){.first = definition, .last = definition};
  search->number++;
  search->pending_count = 0;
  spgc_segments_each_use(segments, value, reach_use, &ranging);
  while (search->pending_count != 0) {
    LLVMBasicBlockRef block = segments->blocks[search->pending[--search->pending_count]].block;
    IR_EACH_EDGE (edge, block) {
      unsigned from = spgc_segments_block(segments, spgc_ir_source(edge));
      reach(&ranging, from, segments->blocks[from].last);
    }
  }
}
