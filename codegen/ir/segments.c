#include "codegen/ir/segments.h"

#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/loops.h"
#include "support/fatal.h"

static bool starts_block(LLVMValueRef instruction) {
  return LLVMIsAPHINode(instruction) != NULL || LLVMIsALandingPadInst(instruction) != NULL ||
         LLVMIsAAllocaInst(instruction) != NULL;
}

void spgc_segments_add(struct segments *segments, LLVMValueRef value, unsigned segment) {
  unsigned number = segments->definitions.count;
  if (number == segments->definition_capacity) {
    segments->definition_capacity = 2 * number + 64;
    segments->of_definition = reallocarray(segments->of_definition, segments->definition_capacity,
                                           sizeof *segments->of_definition);
    spgc_require(segments->of_definition != NULL, "out of memory");
  }
  spgc_values_add(&segments->definitions, value);
  segments->of_definition[number] = segment;
}

static bool is_safepoint(const struct segments *segments, LLVMValueRef instruction) {
  return segments->kind == SAFEPOINTS_PLACED ? spgc_ir_is_statepoint(instruction)
                                             : spgc_ir_is_safepoint(instruction);
}

static unsigned number_of(const struct segments *segments, LLVMBasicBlockRef block) {
  unsigned number = spgc_values_find(&segments->block_values, LLVMBasicBlockAsValue(block));
  spgc_require(number != VALUES_MISSING, "a block of another function");
  return number;
}

static void list_blocks(struct segments *segments) {
  IR_EACH_BLOCK (block, segments->function) {
    spgc_values_add(&segments->block_values, LLVMBasicBlockAsValue(block));
    IR_EACH_INSTRUCTION (instruction, block)
      segments->safepoint_count += is_safepoint(segments, instruction);
  }
  segments->block_count = segments->block_values.count;
  segments->blocks = spgc_zeroed(segments->block_count, sizeof *segments->blocks);
  for (unsigned i = 0; i < segments->block_count; i++)
    segments->blocks[i].block = LLVMValueAsBasicBlock(segments->block_values.at[i]);
}

static void poll(struct segments *segments, bool *polls, LLVMBasicBlockRef block) {
  bool *polled = &polls[number_of(segments, block)];
  segments->safepoint_count += !*polled;
  *polled = true;
}

/* Includes targets of backward edges that are not a loop's header. */
static bool *find_polls(struct segments *segments) {
  bool *polls = spgc_zeroed(segments->block_count, sizeof *polls);
  if (segments->kind != SAFEPOINTS_POSSIBLE)
    return polls;
  struct loops loops;
  spgc_loops_find(&loops, segments->function);
  for (size_t i = 0; i < loops.loop_count; i++)
    poll(segments, polls, loops.blocks[loops.loops[i].header].block);
  for (size_t i = 0; i < loops.irregular_count; i++)
    poll(segments, polls, loops.blocks[loops.irregular[i].target].block);
  spgc_loops_free(&loops);
  return polls;
}

static void read_block(struct segments *segments, unsigned number, bool polls, unsigned *segment) {
  struct segment_block *read = &segments->blocks[number];
  read->first = *segment;
  segments->block_of[*segment] = number;
  *segment += polls;
  IR_EACH_INSTRUCTION (instruction, read->block) {
    segments->block_of[*segment] = number;
    if (segments->front[*segment] == NULL && !starts_block(instruction))
      segments->front[*segment] = instruction;
    spgc_segments_add(segments, instruction, *segment);
    *segment += is_safepoint(segments, instruction);
  }
  segments->block_of[*segment] = number;
  read->last = (*segment)++;
}

void spgc_segments_read(struct segments *segments, LLVMValueRef function,
                        enum safepoint_kind kind) {
  if (segments->function == function && segments->kind == kind)
    return;
  spgc_segments_free(segments);
  *segments = (struct segments){.function = function, .kind = kind};
  list_blocks(segments);
  bool *polls = find_polls(segments);
  segments->count = segments->block_count + segments->safepoint_count;
  segments->front = spgc_zeroed(segments->count, sizeof *segments->front);
  segments->block_of = spgc_zeroed(segments->count, sizeof *segments->block_of);
  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    spgc_segments_add(segments, LLVMGetParam(function, i), 0);
  for (unsigned i = 0, segment = 0; i < segments->block_count; i++)
    read_block(segments, i, polls[i], &segment);
  free(polls);
}

void spgc_segments_free(struct segments *segments) {
  free(segments->blocks);
  free(segments->of_definition);
  free((void *)segments->front);
  free(segments->block_of);
  free(segments->crossed);
  spgc_values_free(&segments->block_values);
  spgc_values_free(&segments->definitions);
  *segments = (struct segments){0};
}

static unsigned segment_of(const struct segments *segments, LLVMValueRef instruction) {
  unsigned number = spgc_values_find(&segments->definitions, instruction);
  spgc_require(number != VALUES_MISSING, "an instruction that is new");
  return segments->of_definition[number];
}

static unsigned segment_of_edge(const struct segments *segments, LLVMBasicBlockRef block) {
  unsigned edges = 0;
  IR_EACH_EDGE (before, block)
    edges++;
  return edges == 1 ? segments->blocks[number_of(segments, block)].first : SEGMENT_NONE;
}

unsigned spgc_segment_behind(const struct segments *segments, LLVMValueRef value) {
  return LLVMIsAArgument(value) != NULL
             ? 0
             : segment_of(segments, value) + is_safepoint(segments, value);
}

unsigned spgc_segment_of_definition(const struct segments *segments, LLVMValueRef value) {
  if (LLVMIsAInvokeInst(value) != NULL)
    return segment_of_edge(segments, LLVMGetNormalDest(value));
  return LLVMIsATerminatorInst(value) == NULL ? spgc_segment_behind(segments, value) : SEGMENT_NONE;
}

/* A phi that uses an invoke's result on the invoke's own edge does not extend its live range. */
static void each_use_by_phi(const struct segments *segments, LLVMValueRef value, LLVMValueRef phi,
                            segment_use *use, void *context) {
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    if (LLVMGetIncomingValue(phi, i) != value || end == value)
      continue;
    bool ends_in_safepoint = is_safepoint(segments, end);
    unsigned last = segments->blocks[number_of(segments, from)].last;
    use(context, phi, i, ends_in_safepoint ? SEGMENT_NONE : last);
  }
}

void spgc_segments_each_use(const struct segments *segments, LLVMValueRef value, segment_use *use,
                            void *context) {
  struct values users = {0};
  IR_EACH_USER (user, value)
    spgc_values_add_new(&users, user);
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

/* A search goes back from a value's uses to its definition, and meets each block between them once.
 * If no live range crosses a safepoint, all searches take the time of a few walks over the
 * function. */
struct ranging {
  struct segments *segments;
  struct live_range *range;
  unsigned definition, pending;
};

enum { BLOCK_NONE = UINT_MAX };

static void note_crossed(struct segments *segments, unsigned first, unsigned end) {
  enum { BITS = 64 };
  for (unsigned i = first; segments->crossed != NULL && i < end; i++)
    segments->crossed[(size_t)i * segments->words + segments->member / BITS] |=
        UINT64_C(1) << (segments->member % BITS);
}

/* Live in the block up to the segment, from its definition or the block's start. */
static void reach(struct ranging *ranging, unsigned number, unsigned segment) {
  struct segments *segments = ranging->segments;
  struct segment_block *block = &segments->blocks[number];
  bool defines =
      segments->block_of[ranging->definition] == number && segment >= ranging->definition;
  unsigned from = defines ? ranging->definition : block->first;
  if (block->search != segments->search) {
    block->search = segments->search;
    block->reached = from;
    if (!defines) {
      block->next = ranging->pending;
      ranging->pending = number;
    }
  }
  if (segment > block->reached) {
    ranging->range->crossed += segment - block->reached;
    note_crossed(segments, block->reached, segment);
    block->reached = segment;
  }
  if (from < ranging->range->first)
    ranging->range->first = from;
  if (segment > ranging->range->last)
    ranging->range->last = segment;
}

static void search_from(struct ranging *ranging, unsigned number, unsigned segment) {
  struct segments *segments = ranging->segments;
  reach(ranging, number, segment);
  while (ranging->pending != BLOCK_NONE) {
    const struct segment_block *block = &segments->blocks[ranging->pending];
    ranging->pending = block->next;
    IR_EACH_EDGE (before, block->block) {
      unsigned from = number_of(segments, before);
      reach(ranging, from, segments->blocks[from].last);
    }
  }
}

static void search_use(void *context, LLVMValueRef user, unsigned operand, unsigned segment) {
  struct ranging *ranging = context;
  const struct segments *segments = ranging->segments;
  if (segment != SEGMENT_NONE) {
    search_from(ranging, segments->block_of[segment], segment);
  } else {
    unsigned from = number_of(segments, LLVMGetIncomingBlock(user, operand));
    ranging->range->crosses_at_edge = true;
    search_from(ranging, from, segments->blocks[from].last);
  }
  if (ranging->range->crossed != 0 && ranging->range->user_crossed == NULL)
    ranging->range->user_crossed = user;
}

static struct ranging begin(struct segments *segments, unsigned definition,
                            struct live_range *range) {
  *range = (struct live_range){.first = definition, .last = definition};
  segments->search++;
  return (struct ranging){segments, range, definition, BLOCK_NONE};
}

void spgc_live_range_find(struct segments *segments, LLVMValueRef value, unsigned definition,
                          struct live_range *range) {
  struct ranging ranging = begin(segments, definition, range);
  spgc_segments_each_use(segments, value, search_use, &ranging);
}

bool spgc_safepoint_lies_between(struct segments *segments, LLVMValueRef value, LLVMValueRef use) {
  struct live_range range;
  if (use == value)
    return false;
  struct ranging ranging = begin(segments, spgc_segment_behind(segments, value), &range);
  search_use(&ranging, use, 0, segment_of(segments, use));
  return range.crossed != 0;
}
