/* A poll on an interpreter's common way back would join the iterations, so that an indirect branch
 * could not be copied into each case. The position in the program is a pointer that most cases move
 * forward by a constant, or by an offset that is not negative, and that stays in its object
 * (`getelementptr inbounds`), whose bytes limit how many such cases follow each other. Cases that
 * set the position otherwise, to jump back or to call, poll. */
#include "codegen/ir/ir.h"
#include "codegen/ir/known_bits.h"
#include "codegen/lower/expand/polling.h"

/* Smaller switches may be scanners that choose by kinds of characters. */
enum { LEAST_CASES = 16, MOST_STEPS = 32, MOST_DEPTH = 3 };

static bool is_dispatch(LLVMValueRef end) {
  return LLVMIsAIndirectBrInst(end) != NULL ||
         (LLVMIsASwitchInst(end) != NULL && LLVMGetNumSuccessors(end) >= LEAST_CASES);
}

static bool is_not_negative(LLVMValueRef integer, unsigned depth);

static bool choices_are_not_negative(LLVMValueRef choice, unsigned depth) {
  struct values choices = {0};
  bool are = spgc_values_add_choices(&choices, choice);
  for (unsigned i = 0; are && i < choices.count; i++)
    are = is_not_negative(choices.at[i], depth);
  spgc_values_free(&choices);
  return are;
}

static bool is_not_negative(LLVMValueRef integer, unsigned depth) {
  uint64_t constant;
  if (spgc_bits_of_constant(integer, &constant))
    return (int64_t)constant >= 0 && LLVMGetIntTypeWidth(LLVMTypeOf(integer)) == 64;
  if (LLVMIsAZExtInst(integer) != NULL)
    return true;
  if (LLVMIsAInstruction(integer) == NULL || depth == 0)
    return false;
  bool adds = LLVMGetInstructionOpcode(integer) == LLVMAdd && LLVMGetNSW(integer);
  return adds ? is_not_negative(LLVMGetOperand(integer, 0), depth - 1) &&
                    is_not_negative(LLVMGetOperand(integer, 1), depth - 1)
              : choices_are_not_negative(integer, depth - 1);
}

enum distance { UNKNOWN_DISTANCE, NOT_BEFORE, BEHIND };

/* Distances are from the position at the iteration's start, on one way. */
struct measure {
  const struct dispatch *dispatch;
  LLVMBasicBlockRef from, to; /* the edge of the way */
  unsigned steps;             /* left to take */
};

static enum distance distance_of(struct measure *measure, LLVMValueRef value);

static enum distance distance_of_step(struct measure *measure, LLVMValueRef step) {
  enum { BASE, INDEX, OPERANDS };
  uint64_t constant;
  LLVMValueRef index = LLVMGetOperand(step, INDEX);
  if (LLVMGetNumOperands(step) != OPERANDS || !LLVMIsInBounds(step) ||
      !is_not_negative(index, MOST_DEPTH))
    return UNKNOWN_DISTANCE;
  enum distance before = distance_of(measure, LLVMGetOperand(step, BASE));
  bool moves = spgc_bits_of_constant(index, &constant) && constant != 0;
  return before == NOT_BEFORE && moves ? BEHIND : before;
}

/* A phi of this loop's header, or of an outer loop's, has an earlier iteration's value. */
static bool is_of_earlier_round(const struct dispatch *dispatch, LLVMValueRef choice) {
  const struct loops *loops = dispatch->loops;
  unsigned block = spgc_loops_number(loops, LLVMGetInstructionParent(choice));
  return block == VALUES_MISSING || block == loops->loops[dispatch->loop].header ||
         !spgc_loops_contains(loops, dispatch->loop, block);
}

static void find_choices(const struct measure *measure, LLVMValueRef choice,
                         struct values *choices) {
  bool is_joined =
      LLVMIsAPHINode(choice) != NULL && LLVMGetInstructionParent(choice) == measure->to;
  for (unsigned i = 0; is_joined && i < LLVMCountIncoming(choice); i++)
    if (LLVMGetIncomingBlock(choice, i) == measure->from)
      spgc_values_add_new(choices, LLVMGetIncomingValue(choice, i));
  if (!is_joined)
    spgc_values_add_choices(choices, choice);
}

static enum distance distance_of_choice(struct measure *measure, LLVMValueRef choice) {
  struct values choices = {0};
  enum distance least = BEHIND;
  find_choices(measure, choice, &choices);
  for (unsigned i = 0; i < choices.count && least != UNKNOWN_DISTANCE; i++) {
    enum distance distance = distance_of(measure, choices.at[i]);
    least = distance < least ? distance : least;
  }
  spgc_values_free(&choices);
  return least;
}

static enum distance distance_of(struct measure *measure, LLVMValueRef value) {
  if (value == measure->dispatch->position)
    return NOT_BEFORE;
  if (LLVMIsAInstruction(value) == NULL || measure->steps == 0)
    return UNKNOWN_DISTANCE;
  measure->steps--;
  if (LLVMIsAGetElementPtrInst(value) != NULL)
    return distance_of_step(measure, value);
  bool is_choice = LLVMIsAPHINode(value) != NULL || LLVMIsASelectInst(value) != NULL;
  return is_choice && !is_of_earlier_round(measure->dispatch, value)
             ? distance_of_choice(measure, value)
             : UNKNOWN_DISTANCE;
}

bool spgc_dispatch_moves_on(const struct dispatch *dispatch, LLVMBasicBlockRef from,
                            LLVMBasicBlockRef latch) {
  struct measure measure = {dispatch, from, latch, MOST_STEPS};
  for (unsigned i = 0; dispatch->position != NULL && i < LLVMCountIncoming(dispatch->position); i++)
    if (LLVMGetIncomingBlock(dispatch->position, i) == latch)
      return distance_of(&measure, LLVMGetIncomingValue(dispatch->position, i)) == BEHIND;
  return false;
}

void spgc_dispatch_find_ways(const struct loops *loops, unsigned latch, struct values *ways) {
  LLVMBasicBlockRef block = loops->blocks[latch].block;
  if (LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block)) != 1)
    return;
  IR_EACH_INSTRUCTION (instruction, block)
    if (spgc_ir_is_call(instruction))
      return;
  IR_EACH_EDGE (before, block)
    if (spgc_loops_number(loops, before) != VALUES_MISSING)
      spgc_values_add_new(ways, LLVMBasicBlockAsValue(before));
}

static unsigned count_forward(const struct dispatch *dispatch, unsigned latch,
                              const struct values *ways) {
  unsigned count = 0;
  for (unsigned i = 0; i < ways->count; i++)
    count += spgc_dispatch_moves_on(dispatch, LLVMValueAsBasicBlock(ways->at[i]),
                                    dispatch->loops->blocks[latch].block);
  return count;
}

/* The pointer that most cases move forward. If all do, the loop reads a text. */
static void choose_position(struct dispatch *dispatch, unsigned latch) {
  const struct loops *loops = dispatch->loops;
  LLVMBasicBlockRef header = loops->blocks[loops->loops[dispatch->loop].header].block;
  struct values ways = {0};
  unsigned most = 0;
  spgc_dispatch_find_ways(loops, latch, &ways);
  for (LLVMValueRef phi = LLVMGetFirstInstruction(header); LLVMIsAPHINode(phi) != NULL;
       phi = LLVMGetNextInstruction(phi)) {
    struct dispatch tried = *dispatch;
    tried.position = phi;
    bool is_pointer = LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMPointerTypeKind;
    unsigned count = is_pointer ? count_forward(&tried, latch, &ways) : 0;
    if (count <= most || count == ways.count)
      continue;
    dispatch->position = phi;
    most = count;
  }
  spgc_values_free(&ways);
}

/* LLVM gives such a loop one latch. */
bool spgc_dispatch_find(struct dispatch *dispatch, const struct loops *loops, int number) {
  const struct loop *loop = &loops->loops[number];
  for (unsigned block = loop->header; block < loops->block_count && loop->latch_count == 1;
       block++) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(loops->blocks[block].block);
    if (loops->blocks[block].loop != number || !is_dispatch(end) ||
        !spgc_loops_dominates(loops, block, loop->latches[0]))
      continue;
    *dispatch = (struct dispatch){loops, number, NULL, LLVMIsAIndirectBrInst(end) != NULL};
    choose_position(dispatch, loop->latches[0]);
    return true;
  }
  return false;
}
