#include "codegen/ir/trip_count.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/known_bits.h"

/* The value of a counter in each iteration: start, start + step, start + 2 * step, and so on. */
struct counter {
  uint64_t start, step;
};

/* True if `value` is `base` plus a constant. */
static bool is_sum(LLVMValueRef value, LLVMValueRef base, uint64_t *added) {
  if (LLVMIsAInstruction(value) == NULL)
    return false;
  LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
  if ((opcode != LLVMAdd && opcode != LLVMSub) || LLVMGetOperand(value, 0) != base ||
      !spgc_bits_of_constant(LLVMGetOperand(value, 1), added))
    return false;
  *added = opcode == LLVMAdd ? *added : 0 - *added;
  return true;
}

/* A phi of the header that is the same constant whenever the loop is entered, and grows by the same
 * constant in each iteration. */
static bool read_phi(const struct loops *loops, int loop, LLVMValueRef phi,
                     struct counter *counter) {
  unsigned entries = 0, rounds = 0;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef value = LLVMGetIncomingValue(phi, i);
    uint64_t found;
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    if (!spgc_loops_reaches(loops, from))
      continue;
    bool inside = spgc_loops_contains(loops, loop, spgc_loops_number(loops, from));
    if (inside ? !is_sum(value, phi, &found) : !spgc_bits_of_constant(value, &found))
      return false;
    uint64_t *known = inside ? &counter->step : &counter->start;
    unsigned *count = inside ? &rounds : &entries;
    if ((*count)++ != 0 && *known != found)
      return false;
    *known = found;
  }
  return entries != 0 && rounds != 0;
}

/* The compared value: the counter, or its value in the next iteration. */
static bool read_counter(const struct loops *loops, int loop, LLVMValueRef value,
                         struct counter *counter) {
  LLVMBasicBlockRef header = loops->blocks[loops->loops[loop].header].block;
  IR_EACH_INSTRUCTION (phi, header) {
    uint64_t added = 0;
    if (LLVMIsAPHINode(phi) == NULL)
      return false;
    if (LLVMTypeOf(phi) == LLVMTypeOf(value) && (value == phi || is_sum(value, phi, &added)) &&
        read_phi(loops, loop, phi, counter)) {
      counter->start += added;
      return true;
    }
  }
  return false;
}

static bool holds(LLVMIntPredicate predicate, uint64_t left, uint64_t right) {
  int64_t signed_left = (int64_t)left, signed_right = (int64_t)right;
  switch (predicate) {
  case LLVMIntEQ: return left == right;
  case LLVMIntNE: return left != right;
  case LLVMIntUGT: return left > right;
  case LLVMIntUGE: return left >= right;
  case LLVMIntULT: return left < right;
  case LLVMIntULE: return left <= right;
  case LLVMIntSGT: return signed_left > signed_right;
  case LLVMIntSGE: return signed_left >= signed_right;
  case LLVMIntSLT: return signed_left < signed_right;
  default: return signed_left <= signed_right;
  }
}

/* The loop goes on while the comparison of the counter with `bound` gives `goes_on`. Numbers of
 * fewer bits are computed and compared in the upper bits of a word, where they wrap as they do. */
static uint64_t count_rounds(struct counter counter, LLVMIntPredicate predicate, bool goes_on,
                             uint64_t bound, unsigned bits) {
  unsigned shift = 64 - bits;
  uint64_t value = counter.start << shift;
  for (uint64_t rounds = 1; rounds <= TRIP_COUNT_MOST; rounds++, value += counter.step << shift)
    if (holds(predicate, value, bound << shift) != goes_on)
      return rounds;
  return 0;
}

/* Iterations until the block leaves the loop, if each iteration passes the block. */
static uint64_t rounds_until_exit(const struct loops *loops, int loop, unsigned block) {
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(loops->blocks[block].block);
  if (LLVMGetInstructionOpcode(branch) != LLVMBr || !LLVMIsConditional(branch))
    return 0;
  bool goes_on[2];
  for (unsigned i = 0; i < 2; i++)
    goes_on[i] =
        spgc_loops_contains(loops, loop, spgc_loops_number(loops, LLVMGetSuccessor(branch, i)));
  LLVMValueRef comparison = LLVMGetCondition(branch);
  if (goes_on[0] == goes_on[1] || LLVMIsAICmpInst(comparison) == NULL)
    return 0;
  struct counter counter;
  uint64_t bound;
  LLVMValueRef left = LLVMGetOperand(comparison, 0);
  if (!spgc_bits_of_constant(LLVMGetOperand(comparison, 1), &bound) ||
      !read_counter(loops, loop, left, &counter))
    return 0;
  return count_rounds(counter, LLVMGetICmpPredicate(comparison), goes_on[0], bound,
                      LLVMGetIntTypeWidth(LLVMTypeOf(left)));
}

static bool dominates_latches(const struct loops *loops, int loop, unsigned block) {
  const struct loop *around = &loops->loops[loop];
  for (size_t i = 0; i < around->latch_count; i++)
    if (!spgc_loops_dominates(loops, block, around->latches[i]))
      return false;
  return true;
}

/* Each iteration passes the blocks that dominate its latch. */
uint64_t spgc_trip_count(const struct loops *loops, int loop) {
  const struct loop *around = &loops->loops[loop];
  uint64_t least = 0;
  for (unsigned block = around->latches[0];; block = loops->blocks[block].dominator) {
    uint64_t rounds = loops->blocks[block].loop == loop ? rounds_until_exit(loops, loop, block) : 0;
    if (rounds != 0 && (least == 0 || rounds < least) && dominates_latches(loops, loop, block))
      least = rounds;
    if (block == around->header)
      return least;
  }
}
