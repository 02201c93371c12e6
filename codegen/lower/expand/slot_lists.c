/* Which slots are live at each statepoint (slots.c): those that are loaded from behind it before
 * they are stored into. Found from the loads and stores themselves, backwards from block to block.
 */
#include <stdlib.h>
#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"
#include "codegen/lower/expand/slots.h"
#include "spgc/stackmap_reader.h"
#include "support/fatal.h"

enum { WORD = 8, BITS = 64 };

struct slot_flow {
  struct slot_lists *lists;
  struct values blocks;
  uint64_t *read, *written, *live_in; /* a set for each block */
};

/* The slot at the address; -1 if it is no slot. */
static int64_t slot_at(const struct slot_lists *lists, LLVMValueRef address) {
  if (address == lists->array)
    return 0;
  if (LLVMIsAGetElementPtrInst(address) == NULL || LLVMGetOperand(address, 0) != lists->array)
    return -1;
  return (int64_t)LLVMConstIntGetZExtValue(LLVMGetOperand(address, 1)) / WORD;
}

/* Applies the instruction to a set of live slots, from behind. */
static void step_back(const struct slot_lists *lists, LLVMValueRef instruction, uint64_t *live,
                      uint64_t *written) {
  bool loads = LLVMIsALoadInst(instruction) != NULL, stores = LLVMIsAStoreInst(instruction) != NULL;
  int64_t slot = loads || stores ? slot_at(lists, LLVMGetOperand(instruction, stores)) : -1;
  if (slot < 0)
    return;
  uint64_t bit = UINT64_C(1) << (slot % BITS);
  if (loads) {
    live[slot / BITS] |= bit;
  } else {
    live[slot / BITS] &= ~bit;
    written[slot / BITS] |= bit;
  }
}

static uint64_t *set_of(uint64_t *sets, const struct slot_lists *lists, unsigned number) {
  return sets + (size_t)number * lists->words;
}

static void read_block(struct slot_flow *flow, unsigned number) {
  LLVMBasicBlockRef block = LLVMValueAsBasicBlock(flow->blocks.at[number]);
  for (LLVMValueRef instruction = LLVMGetLastInstruction(block); instruction != NULL;
       instruction = LLVMGetPreviousInstruction(instruction))
    step_back(flow->lists, instruction, set_of(flow->read, flow->lists, number),
              set_of(flow->written, flow->lists, number));
}

/* What is live at the block's end. */
static void join_successors(const struct slot_flow *flow, unsigned number, uint64_t *live) {
  LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMValueAsBasicBlock(flow->blocks.at[number]));
  memset(live, 0, flow->lists->words * sizeof *live);
  for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
    unsigned to = spgc_values_find(&flow->blocks, LLVMBasicBlockAsValue(LLVMGetSuccessor(end, i)));
    const uint64_t *more = set_of(flow->live_in, flow->lists, to);
    for (unsigned k = 0; k < flow->lists->words; k++)
      live[k] |= more[k];
  }
}

static bool update(struct slot_flow *flow, unsigned number, uint64_t *live) {
  const uint64_t *read = set_of(flow->read, flow->lists, number);
  const uint64_t *written = set_of(flow->written, flow->lists, number);
  uint64_t *before = set_of(flow->live_in, flow->lists, number);
  bool changed = false;
  join_successors(flow, number, live);
  for (unsigned i = 0; i < flow->lists->words; i++) {
    uint64_t now = read[i] | (live[i] & ~written[i]);
    changed = changed || now != before[i];
    before[i] = now;
  }
  return changed;
}

static void solve(struct slot_flow *flow) {
  uint64_t *live = spgc_zeroed(flow->lists->words, sizeof *live);
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = flow->blocks.count; i-- != 0;)
      changed |= update(flow, i, live);
  }
  free(live);
}

static void note_statepoint(struct slot_lists *lists, LLVMValueRef statepoint,
                            const uint64_t *live) {
  unsigned number = lists->statepoints.count;
  if ((number & (number - 1)) == 0) { /* grows at each power of two */
    size_t capacity = number == 0 ? 1 : 2 * (size_t)number;
    lists->live = reallocarray(lists->live, capacity * lists->words, sizeof *lists->live);
    spgc_require(lists->live != NULL, "out of memory");
  }
  spgc_values_add(&lists->statepoints, statepoint);
  memcpy(set_of(lists->live, lists, number), live, lists->words * sizeof *live);
}

static void note_statepoints(struct slot_flow *flow) {
  uint64_t *live = spgc_zeroed(flow->lists->words, sizeof *live);
  uint64_t *written = spgc_zeroed(flow->lists->words, sizeof *written);
  for (unsigned i = 0; i < flow->blocks.count; i++) {
    LLVMBasicBlockRef block = LLVMValueAsBasicBlock(flow->blocks.at[i]);
    join_successors(flow, i, live);
    for (LLVMValueRef instruction = LLVMGetLastInstruction(block); instruction != NULL;
         instruction = LLVMGetPreviousInstruction(instruction)) {
      if (spgc_ir_is_statepoint(instruction))
        note_statepoint(flow->lists, instruction, live);
      step_back(flow->lists, instruction, live, written);
    }
  }
  free(live);
  free(written);
}

LLVMValueRef spgc_slot_array(LLVMValueRef function) {
  IR_EACH_INSTRUCTION (instruction, LLVMGetEntryBasicBlock(function))
    if (LLVMIsAAllocaInst(instruction) != NULL && spgc_is_slot_array(instruction))
      return instruction;
  return NULL;
}

void spgc_slot_lists_find(struct slot_lists *lists, LLVMValueRef function) {
  *lists = (struct slot_lists){.array = spgc_slot_array(function)};
  if (lists->array == NULL)
    return;
  struct slot_flow flow = {.lists = lists};
  lists->words =
      (unsigned)((LLVMGetArrayLength2(LLVMGetAllocatedType(lists->array)) + BITS - 1) / BITS);
  IR_EACH_BLOCK (block, function)
    spgc_values_add(&flow.blocks, LLVMBasicBlockAsValue(block));
  size_t size = (size_t)flow.blocks.count * lists->words;
  flow.read = spgc_zeroed(size, sizeof *flow.read);
  flow.written = spgc_zeroed(size, sizeof *flow.written);
  flow.live_in = spgc_zeroed(size, sizeof *flow.live_in);
  for (unsigned i = 0; i < flow.blocks.count; i++)
    read_block(&flow, i);
  solve(&flow);
  note_statepoints(&flow);
  free(flow.read);
  free(flow.written);
  free(flow.live_in);
  spgc_values_free(&flow.blocks);
}

/* Machine passes of LLVM take the square of a function's blocks, such as common subexpression
 * elimination, or of a block's instructions. They leave functions out that are not to be optimised.
 */
void spgc_slot_lists_hurry(const struct slot_lists *lists, LLVMValueRef function) {
  static const char *const contradictions[] = {"optsize", "minsize", "alwaysinline"};
  if (lists->statepoints.count < SAFEPOINTS_MANY)
    return;
  for (size_t i = 0; i < sizeof contradictions / sizeof *contradictions; i++)
    spgc_ir_function_remove_attribute(function, contradictions[i]);
  spgc_ir_function_add_attribute(function, "noinline");
  spgc_ir_function_add_attribute(function, "optnone");
}

void spgc_slot_lists_free(struct slot_lists *lists) {
  spgc_values_free(&lists->statepoints);
  free(lists->live);
}

static bool is_live(const struct slot_lists *lists, unsigned number, unsigned slot) {
  return slot / BITS < lists->words &&
         (set_of(lists->live, lists, number)[slot / BITS] >> (slot % BITS) & 1) != 0;
}

static LLVMValueRef constant(const struct slot_lists *lists, uint64_t value) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(lists->array));
  return LLVMConstInt(LLVMInt64TypeInContext(context), value, false);
}

void spgc_slot_lists_add(const struct slot_lists *lists, LLVMValueRef statepoint,
                         struct values *operands) {
  unsigned number = spgc_values_find(&lists->statepoints, statepoint), before = operands->count;
  for (unsigned slot = 0; number != VALUES_MISSING && slot < lists->words * BITS; slot++) {
    if (!is_live(lists, number, slot))
      continue;
    unsigned words = 1;
    while (is_live(lists, number, slot + words))
      words++;
    if (operands->count == before) {
      spgc_values_add(operands, lists->array);
      spgc_values_add(operands, constant(lists, SPGC_STACKMAP_RUN_PRIVATE));
    }
    uint64_t offset = (uint64_t)slot * WORD;
    spgc_values_add(operands, constant(lists, offset << SPGC_STACKMAP_RUN_OFFSET_SHIFT | words));
    slot += words;
  }
}
