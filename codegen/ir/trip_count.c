#include "codegen/ir/trip_count.h"

#include "codegen/ir/ir.h"

/* The value of a counter in each iteration: start, start + step, start + 2 * step, and so on. */
struct counter {
  int64_t start, step;
};

static bool constant_of(LLVMValueRef value, int64_t *constant) {
  if (LLVMIsAConstantInt(value) == NULL || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
    return false;
  *constant = LLVMConstIntGetSExtValue(value);
  return true;
}

/* True if `value` is `base` plus a constant. */
static bool is_sum(LLVMValueRef value, LLVMValueRef base, int64_t *added) {
  if (LLVMIsAInstruction(value) == NULL)
    return false;
  LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
  if ((opcode != LLVMAdd && opcode != LLVMSub) || LLVMGetOperand(value, 0) != base ||
      !constant_of(LLVMGetOperand(value, 1), added))
    return false;
  return opcode == LLVMAdd || !__builtin_sub_overflow(INT64_C(0), *added, added);
}

/* A phi of the header that is the same constant whenever the loop is entered, and grows by the same
 * constant in each iteration. */
static bool read_phi(const struct loops *loops, int loop, LLVMValueRef phi,
                     struct counter *counter) {
  unsigned entries = 0, rounds = 0;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMValueRef value = LLVMGetIncomingValue(phi, i);
    int64_t found;
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    if (!spgc_loops_reaches(loops, from))
      continue;
    bool inside = spgc_loops_contains(loops, loop, spgc_loops_number(loops, from));
    if (inside ? !is_sum(value, phi, &found) : !constant_of(value, &found))
      return false;
    int64_t *known = inside ? &counter->step : &counter->start;
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
    int64_t added = 0;
    if (LLVMIsAPHINode(phi) == NULL)
      return false;
    if (LLVMTypeOf(phi) == LLVMTypeOf(value) && (value == phi || is_sum(value, phi, &added)) &&
        read_phi(loops, loop, phi, counter))
      return !__builtin_add_overflow(counter->start, added, &counter->start);
  }
  return false;
}

static LLVMIntPredicate opposite(LLVMIntPredicate predicate) {
  switch (predicate) {
  case LLVMIntEQ: return LLVMIntNE;
  case LLVMIntNE: return LLVMIntEQ;
  case LLVMIntUGT: return LLVMIntULE;
  case LLVMIntULE: return LLVMIntUGT;
  case LLVMIntUGE: return LLVMIntULT;
  case LLVMIntULT: return LLVMIntUGE;
  case LLVMIntSGT: return LLVMIntSLE;
  case LLVMIntSLE: return LLVMIntSGT;
  case LLVMIntSGE: return LLVMIntSLT;
  default: return LLVMIntSGE;
  }
}

/* The greatest value of `bits` bits, signed or not. */
static __int128 greatest(unsigned bits, bool is_signed) {
  return ((__int128)1 << (is_signed ? bits - 1 : bits)) - 1;
}

static __int128 as_read(int64_t value, unsigned bits, bool is_signed) {
  return is_signed || value >= 0 ? (__int128)value : (__int128)value + ((__int128)1 << bits);
}

/* The comparison holds for the iterations that it takes to go the distance, and fails in one
 * more. */
static uint64_t rounds_of(__int128 distance, __int128 step) {
  enum { MOST = 1 << 30 };
  __int128 rounds = distance <= 0 ? 0 : (distance + step - 1) / step;
  return rounds >= MOST ? 0 : (uint64_t)rounds + 1;
}

/* The loop continues while `predicate` holds between the counter and `bound`. */
static uint64_t count_rounds(struct counter counter, LLVMIntPredicate predicate, int64_t bound,
                             unsigned bits) {
  bool is_signed = predicate >= LLVMIntSGT || predicate == LLVMIntNE || predicate == LLVMIntEQ;
  __int128 start = as_read(counter.start, bits, is_signed), end = as_read(bound, bits, is_signed);
  __int128 step = counter.step, most = greatest(bits, is_signed), least = is_signed ? -most - 1 : 0;
  if (step == 0 || start > most || start < least)
    return 0;
  if (predicate == LLVMIntNE) { /* the counter may wrap, as long as it meets the end */
    __int128 distance = (step > 0 ? end - start : start - end) & greatest(bits, false);
    step = step > 0 ? step : -step;
    return distance % step == 0 ? rounds_of(distance, step) : 0;
  }
  if (predicate == LLVMIntEQ)
    return start == end ? 2 : 1;
  bool upwards = predicate == LLVMIntULT || predicate == LLVMIntULE || predicate == LLVMIntSLT ||
                 predicate == LLVMIntSLE;
  bool with_end = predicate == LLVMIntULE || predicate == LLVMIntSLE || predicate == LLVMIntUGE ||
                  predicate == LLVMIntSGE;
  __int128 distance = (upwards ? end - start : start - end) + with_end;
  if (upwards != (step > 0))
    return distance <= 0 ? 1 : 0;
  step = upwards ? step : -step;
  /* The counter must be able to hold the first value for which the comparison fails. */
  if (distance > 0 &&
      (upwards ? end + with_end + step - 1 > most : end - with_end - step + 1 < least))
    return 0;
  return rounds_of(distance, step);
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
  int64_t bound;
  LLVMValueRef left = LLVMGetOperand(comparison, 0);
  if (!constant_of(LLVMGetOperand(comparison, 1), &bound) ||
      !read_counter(loops, loop, left, &counter))
    return 0;
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(comparison);
  return count_rounds(counter, goes_on[0] ? predicate : opposite(predicate), bound,
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
