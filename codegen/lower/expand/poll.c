/* Polls (docs/lowering.md, "Polls"). Invariant: between two polls a thread does bounded work in one
 * activation of a function: a round of each loop, and straight-line code.
 *
 * A call polls if its function polls at its entry, is in this module, and cannot be replaced by a
 * linker. A frontend that asks for polls in loops only guarantees that calls poll: then each call
 * counts as a poll, except calls of this module's functions that make no calls.
 *
 * Not bounded: leaf functions that are not generated code, and the returns from a deep
 * recursion. */
#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/lower/expand/polling.h"
#include "codegen/lower/phases.h"
#include "support/fatal.h"

enum {
  MOST_ROUND_WORK = 1 << 11, /* most in an iteration that polls only by allocating, once in 8 KiB */
};

struct placement {
  struct polling *polling;
  struct loops loops;
  enum effect *effects;    /* each block's */
  bool *polled;            /* for each block of the current loop */
  uint64_t *work;          /* instructions of an iteration of each loop */
  struct values addresses; /* spgc_polling_addresses_of */
};

static void read_block(struct placement *placement, size_t number) {
  const struct flow_block *block = &placement->loops.blocks[number];
  uint64_t work = 0;
  IR_EACH_INSTRUCTION (instruction, block->block) {
    bool is_call = spgc_ir_is_call(instruction);
    enum effect effect =
        is_call ? spgc_polling_effect_of(placement->polling, instruction) : EFFECT_NONE;
    if (effect > placement->effects[number])
      placement->effects[number] = effect;
    work += is_call && effect == EFFECT_NONE ? spgc_polling_work_of(instruction) : 1;
  }
  if (block->loop != NO_LOOP)
    placement->work[block->loop] += work;
}

void spgc_polling_before(LLVMValueRef instruction) {
  LLVMModuleRef module = spgc_ir_module_of(instruction);
  LLVMValueRef poll = LLVMGetNamedFunction(module, "spgc.poll");
  spgc_require(poll != NULL, "the prelude is not linked");
  LLVMBuilderRef builder = spgc_ir_builder_before(instruction);
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(poll), poll, NULL, 0, "");
  LLVMDisposeBuilder(builder);
}

/* As addresses.c hides it, or made from a reference by a leaf. */
static bool may_be_address(LLVMValueRef instruction) {
  if (!spgc_ir_is_call(instruction) || LLVMGetFirstUse(instruction) == NULL ||
      !spgc_ir_call_passes_reference(instruction))
    return false;
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(instruction));
  return !spgc_ir_is_safepoint(instruction) && !spgc_ir_is_reference(instruction) &&
         (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind);
}

static LLVMValueRef defined_callee(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  return callee == NULL || LLVMIsDeclaration(callee) ? NULL : callee;
}

static bool returns_address(LLVMValueRef function) {
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (may_be_address(instruction) && defined_callee(instruction) == NULL)
      return true;
  return false;
}

static bool reads_address(struct polling *polling, LLVMValueRef instruction) {
  if (!may_be_address(instruction))
    return false;
  LLVMValueRef callee = defined_callee(instruction);
  return callee == NULL || spgc_leaf_may(&polling->addresses, callee);
}

/* Whether its result depends on an address. A loaded value does not, nor does a comparison, which
 * has the same result after a move. */
static bool passes_address_on(LLVMValueRef user) {
  if (LLVMIsALoadInst(user) != NULL || LLVMIsACmpInst(user) != NULL ||
      LLVMIsAAtomicRMWInst(user) != NULL || LLVMIsAAtomicCmpXchgInst(user) != NULL)
    return false;
  if (spgc_ir_is_call(user) && (!spgc_ir_is_any_intrinsic(user) || may_be_address(user)))
    return false;
  return LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMVoidTypeKind;
}

struct values spgc_polling_addresses_of(struct polling *polling, LLVMValueRef function) {
  struct values addresses = {0};
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (reads_address(polling, instruction))
      spgc_values_add(&addresses, instruction);
  for (unsigned i = 0; i < addresses.count; i++)
    IR_EACH_USER (user, addresses.at[i]) {
      if (passes_address_on(user) && !spgc_values_contain(&addresses, user))
        spgc_values_add(&addresses, user);
    }
  return addresses;
}

/* The optimiser moves the next iteration's condition to the end of this one. The next iteration
 * uses the addresses that it reads, so the poll comes before them, unless an address of this
 * iteration is used later. */
static LLVMValueRef place_at_end(const struct placement *placement, unsigned number) {
  const struct values *addresses = &placement->addresses;
  LLVMBasicBlockRef block = placement->loops.blocks[number].block;
  LLVMValueRef place = LLVMGetBasicBlockTerminator(block);
  bool *is_used =
      spgc_zeroed(addresses->count, sizeof *is_used); /* used after `at`, but read before it */
  unsigned used = 0;
  for (LLVMValueRef at = LLVMGetPreviousInstruction(place);
       addresses->count != 0 && at != NULL && LLVMIsAPHINode(at) == NULL;
       at = LLVMGetPreviousInstruction(at)) {
    unsigned own = spgc_values_find(addresses, at);
    used -= own != VALUES_MISSING && is_used[own];
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(at); i++) {
      unsigned operand = spgc_values_find(addresses, LLVMGetOperand(at, i));
      if (operand == VALUES_MISSING || is_used[operand])
        continue;
      is_used[operand] = true;
      used++;
    }
    if (used == 0 && reads_address(placement->polling, at))
      place = at;
  }
  free(is_used);
  return place;
}

static void poll_at_end(const struct placement *placement, unsigned block) {
  spgc_polling_before(place_at_end(placement, block));
}

/* Whether each path from the loop's header has polled. Edges from blocks that this one dominates
 * have passed it before. */
static bool has_polled(const struct placement *placement, unsigned header, unsigned block) {
  IR_EACH_EDGE (before, placement->loops.blocks[block].block) {
    unsigned from = spgc_loops_number(&placement->loops, before);
    if (from == VALUES_MISSING)
      continue;
    if (from < header || (from < block && !placement->polled[from]) ||
        (from >= block && !spgc_loops_dominates(&placement->loops, block, from)))
      return false;
  }
  return true;
}

static void follow_rounds(const struct placement *placement, int loop) {
  const struct loop *followed = &placement->loops.loops[loop];
  enum effect needed = placement->work[loop] <= MOST_ROUND_WORK ? EFFECT_ALLOCATES : EFFECT_POLLS;
  unsigned last = followed->header;
  for (size_t i = 0; i < followed->latch_count; i++)
    last = followed->latches[i] > last ? followed->latches[i] : last;
  for (unsigned block = followed->header; block <= last; block++)
    placement->polled[block] =
        placement->effects[block] >= needed ||
        (block != followed->header && has_polled(placement, followed->header, block));
}

static void find_live_ends(LLVMValueRef value, struct values *ends) {
  LLVMBasicBlockRef defining = LLVMGetInstructionParent(value);
  IR_EACH_USER (user, value) {
    LLVMBasicBlockRef block = LLVMGetInstructionParent(user);
    if (LLVMIsAPHINode(user) != NULL) {
      for (unsigned i = 0; i < LLVMCountIncoming(user); i++)
        if (LLVMGetIncomingValue(user, i) == value)
          spgc_values_add_new(ends, LLVMBasicBlockAsValue(LLVMGetIncomingBlock(user, i)));
    } else if (block != defining) {
      IR_EACH_EDGE (before, block)
        spgc_values_add_new(ends, LLVMBasicBlockAsValue(before));
    }
  }
  for (unsigned i = 0; i < ends->count; i++)
    if (LLVMValueAsBasicBlock(ends->at[i]) != defining)
      IR_EACH_EDGE (before, LLVMValueAsBasicBlock(ends->at[i]))
        spgc_values_add_new(ends, LLVMBasicBlockAsValue(before));
}

/* The blocks at whose end an address is live, so that a poll may not be there. */
static struct values ends_with_addresses(const struct placement *placement) {
  struct values found = {0};
  for (unsigned i = 0; i < placement->addresses.count; i++) {
    struct values ends = {0};
    find_live_ends(placement->addresses.at[i], &ends);
    for (unsigned k = 0; k < ends.count; k++)
      spgc_values_add_new(&found, ends.at[k]);
    spgc_values_free(&ends);
  }
  return found;
}

/* Polls the ways on which the position does not move forward. False if there are none, or an
 * address is live at the end of one. */
static bool poll_ways(const struct placement *placement, int loop, unsigned latch) {
  const struct loops *loops = &placement->loops;
  struct dispatch dispatch;
  struct values ways = {0}, polled = {0};
  if (!spgc_dispatch_find(&dispatch, loops, loop) ||
      (dispatch.position == NULL && !dispatch.is_threaded))
    return false;
  spgc_dispatch_find_ways(loops, latch, &ways);
  struct values live_ends = ends_with_addresses(placement);
  bool may_poll = ways.count != 0;
  for (unsigned i = 0; i < ways.count; i++) {
    LLVMBasicBlockRef from = LLVMValueAsBasicBlock(ways.at[i]);
    if (placement->polled[spgc_loops_number(loops, from)] ||
        spgc_dispatch_moves_on(&dispatch, from, loops->blocks[latch].block))
      continue;
    spgc_values_add(&polled, ways.at[i]);
    may_poll = may_poll && !spgc_values_contain(&live_ends, ways.at[i]);
  }
  for (unsigned i = 0; i < polled.count && may_poll; i++)
    poll_at_end(placement, spgc_loops_number(loops, LLVMValueAsBasicBlock(polled.at[i])));
  spgc_values_free(&ways);
  spgc_values_free(&polled);
  spgc_values_free(&live_ends);
  return may_poll;
}

static void poll_latches(const struct placement *placement, int loop) {
  const struct loop *polled = &placement->loops.loops[loop];
  for (size_t i = 0; i < polled->latch_count; i++)
    if (!placement->polled[polled->latches[i]] && !poll_ways(placement, loop, polled->latches[i]))
      poll_at_end(placement, polled->latches[i]);
}

/* An inner loop counts as long. */
static void poll_loop(struct placement *placement, int loop) {
  int parent = placement->loops.loops[loop].parent;
  follow_rounds(placement, loop);
  poll_latches(placement, loop);
  if (parent != NO_LOOP)
    placement->work[parent] += placement->work[loop] + MOST_ROUND_WORK;
}

static void poll_loops(struct polling *polling, LLVMValueRef function) {
  struct placement placement = {.polling = polling,
                                .addresses = spgc_polling_addresses_of(polling, function)};
  spgc_loops_find(&placement.loops, function);
  const struct loops *loops = &placement.loops;
  placement.effects = spgc_zeroed(loops->block_count, sizeof *placement.effects);
  placement.polled = spgc_zeroed(loops->block_count, sizeof *placement.polled);
  placement.work = spgc_zeroed(loops->loop_count, sizeof *placement.work);
  for (size_t i = 0; i < loops->block_count; i++)
    read_block(&placement, i);
  for (size_t i = 0; i < loops->loop_count; i++)
    poll_loop(&placement, (int)i);
  for (size_t i = 0; i < loops->irregular_count; i++)
    poll_at_end(&placement, loops->irregular[i].source);
  spgc_loops_free(&placement.loops);
  spgc_values_free(&placement.addresses);
  free(placement.effects);
  free(placement.polled);
  free(placement.work);
}

enum spgc_result spgc_place_polls(struct lowering *lowering, struct spgc_error *error) {
  struct polling polling = {
      .at_entries = lowering->options->polls == SPGC_POLLS_ENTRIES_AND_LOOPS,
      .for_jit = lowering->options->code == SPGC_CODE_JIT,
      .addresses = {.holds = returns_address},
  };
  spgc_polling_enter(&polling, lowering->module);
  IR_EACH_FUNCTION (function, lowering->module)
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function) &&
        spgc_polling_is_wanted(function))
      poll_loops(&polling, function);
  spgc_polling_free(&polling);
  return SPGC_OK;
}
