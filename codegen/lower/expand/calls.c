/* A call is *bounded* if it returns or polls after a bounded amount of work: a call of a leaf, of
 * the runtime, or of a function of this module whose calls are all bounded. Not bounded are calls
 * that close a cycle, and those of unknown functions and other modules, which may call back. A call
 * that does not return is bounded, because the stack limits such calls' depth. A function polls
 * once, in the block that dominates its unbounded calls and is in no loop. So paths without them do
 * not poll, and a cycle of calls always does. */
#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/lower/expand/polling.h"

enum {
  MOST_CALL_WORK = 1 << 16, /* instructions of a function that does not poll at its entry */
  COPIED_AT_ONCE = 16,      /* bytes */
};

#define ON_PATH UINT64_MAX /* marks a function whose calls are being followed */

static bool makes_calls(LLVMValueRef function) {
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (spgc_ir_is_safepoint(instruction) || spgc_ir_call_is_musttail(instruction))
      return true;
  return false;
}

/* SPGC_NO_POLL. */
bool spgc_polling_is_wanted(LLVMValueRef function) {
  return spgc_ir_string(function, "spgc-no-poll") == NULL;
}

/* The JIT's loader refuses a second definition. */
static bool is_certain_to_be_called(const struct polling *polling, LLVMValueRef function) {
  if (LLVMIsDeclaration(function) || !spgc_ir_function_is_managed(function))
    return false;
  return spgc_ir_is_local(function) ||
         (LLVMGetLinkage(function) == LLVMExternalLinkage &&
          (polling->for_jit || LLVMGetVisibility(function) != LLVMDefaultVisibility));
}

/* Copying and filling take time for each byte; other intrinsics are a few instructions. */
uint64_t spgc_polling_work_of(LLVMValueRef call) {
  static const char *const by_length[] = {"llvm.mem", PRELUDE_PREFIX "llvm.mem"};
  LLVMValueRef callee = spgc_ir_callee(call);
  bool is_written_out = callee != NULL && (LLVMGetIntrinsicID(callee) != 0 ||
                                           spgc_ir_name_starts_with(callee, PRELUDE_PREFIX));
  if (is_written_out && !IR_NAME_STARTS_WITH_ANY(callee, by_length))
    return 1;
  LLVMValueRef length =
      is_written_out ? LLVMIsAConstantInt(LLVMGetOperand(call, IR_COPY_LENGTH)) : NULL;
  return length != NULL ? 1 + LLVMConstIntGetZExtValue(length) / COPIED_AT_ONCE : CALL_WORK;
}

enum effect spgc_polling_effect_of(const struct polling *polling, LLVMValueRef call) {
  static const char *const allocate[] = {"spgc_allocate", "spgc_allocate_array"};
  static const char *const poll[] = {"spgc_poll", "spgc_allocate_slow", "spgc_collect",
                                     "spgc_call_blocking"};
  LLVMValueRef callee = spgc_ir_callee(call);
  if (spgc_ir_call_is_leaf(call) || LLVMIsAInlineAsm(LLVMGetCalledValue(call)) != NULL)
    return EFFECT_NONE;
  if (callee != NULL && IR_NAME_IS_AMONG(callee, allocate))
    return EFFECT_ALLOCATES;
  if (callee != NULL && is_certain_to_be_called(polling, callee))
    return spgc_values_contain(polling->at_entries ? &polling->entered : &polling->callers, callee)
               ? EFFECT_POLLS
               : EFFECT_NONE;
  bool polls = !polling->at_entries || (callee != NULL && IR_NAME_IS_AMONG(callee, poll));
  return polls ? EFFECT_POLLS : EFFECT_NONE;
}

static uint64_t work_of_function(struct polling *polling, LLVMValueRef function);

static bool returns(LLVMValueRef call) {
  LLVMValueRef next = LLVMGetNextInstruction(call);
  return next == NULL || LLVMIsAUnreachableInst(next) == NULL;
}

static uint64_t follow(struct polling *polling, LLVMValueRef instruction) {
  if (!spgc_ir_is_call(instruction))
    return 1;
  if (spgc_ir_call_is_leaf(instruction) || LLVMIsAInlineAsm(LLVMGetCalledValue(instruction)))
    return spgc_polling_work_of(instruction);
  LLVMValueRef callee = spgc_ir_callee(instruction);
  bool is_certain = callee != NULL && is_certain_to_be_called(polling, callee);
  uint64_t work = is_certain ? work_of_function(polling, callee) : ON_PATH;
  if (work != ON_PATH)
    return work;
  if (returns(instruction) &&
      (is_certain || spgc_polling_effect_of(polling, instruction) == EFFECT_NONE))
    spgc_values_add(&polling->unbounded, instruction);
  return 1;
}

static uint64_t work_of_function(struct polling *polling, LLVMValueRef function) {
  unsigned number = spgc_values_find(&polling->weighed, function);
  if (number != VALUES_MISSING)
    return polling->work[number];
  number = polling->weighed.count;
  spgc_values_add(&polling->weighed, function);
  polling->work[number] = ON_PATH;
  uint64_t work = 0;
  IR_EACH_INSTRUCTION_OF (instruction, function)
    work += follow(polling, instruction);
  if (work > MOST_CALL_WORK && spgc_polling_is_wanted(function)) {
    spgc_values_add(&polling->entered, function);
    work = 1;
  }
  return polling->work[number] = work;
}

static LLVMValueRef first_unbounded(const struct polling *polling, LLVMBasicBlockRef block) {
  IR_EACH_INSTRUCTION (instruction, block)
    if (spgc_ir_is_call(instruction) && spgc_values_contain(&polling->unbounded, instruction))
      return instruction;
  return NULL;
}

static unsigned find_block(const struct polling *polling, const struct loops *loops) {
  unsigned found = VALUES_MISSING;
  for (unsigned i = 0; i < loops->block_count; i++)
    if (first_unbounded(polling, loops->blocks[i].block) != NULL)
      found = found == VALUES_MISSING ? i : spgc_loops_common_dominator(loops, found, i);
  while (found != VALUES_MISSING && found != 0 &&
         (loops->blocks[found].loop != NO_LOOP || loops->irregular_count != 0))
    found = loops->blocks[found].dominator;
  return found;
}

/* An address read as a number is valid until the next call, so no poll may come before its use. */
static bool reads_addresses(struct polling *polling, LLVMValueRef function) {
  struct values addresses = spgc_polling_addresses_of(polling, function);
  spgc_values_free(&addresses);
  return addresses.count != 0;
}

static void enter(struct polling *polling, LLVMValueRef function) {
  struct loops loops;
  bool is_entered = spgc_values_contain(&polling->entered, function);
  spgc_loops_find(&loops, function);
  unsigned block = is_entered ? 0 : find_block(polling, &loops);
  if (block != VALUES_MISSING && block != 0 && reads_addresses(polling, function))
    block = 0;
  if (block == 0) {
    spgc_values_add_new(&polling->entered, function);
    spgc_polling_before(spgc_ir_first_after_allocas(function));
  } else if (block != VALUES_MISSING) {
    LLVMBasicBlockRef place = loops.blocks[block].block;
    LLVMValueRef call = first_unbounded(polling, place);
    spgc_polling_before(call != NULL ? call : LLVMGetBasicBlockTerminator(place));
  }
  spgc_loops_free(&loops);
}

void spgc_polling_enter(struct polling *polling, LLVMModuleRef module) {
  unsigned count = 0;
  IR_EACH_FUNCTION (function, module) {
    count++;
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function) &&
        makes_calls(function))
      spgc_values_add(&polling->callers, function);
  }
  polling->work = spgc_zeroed(count, sizeof *polling->work);
  for (unsigned i = 0; polling->at_entries && i < polling->callers.count; i++)
    work_of_function(polling, polling->callers.at[i]);
  for (unsigned i = 0; i < polling->weighed.count; i++)
    if (spgc_polling_is_wanted(polling->weighed.at[i]))
      enter(polling, polling->weighed.at[i]);
}

void spgc_polling_free(struct polling *polling) {
  spgc_values_free(&polling->callers);
  spgc_values_free(&polling->weighed);
  spgc_values_free(&polling->unbounded);
  spgc_values_free(&polling->entered);
  spgc_reach_free(&polling->addresses);
  free(polling->work);
}
