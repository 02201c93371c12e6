/* Inserts polls, so that a thread reaches a safepoint after bounded time.
 *
 * Invariant: between two polls a thread does a bounded amount of work in one activation of a
 * function: MOST_WORK instructions in loops, besides the straight-line code. Therefore
 *
 *   - a function that makes calls polls at its entry. A function that makes none ends soon: its
 *     loops poll, and if the remaining work is large, its entry does, too;
 *   - a loop polls on each way back to its header, unless a call on every way there polls, or all
 *     its iterations together, with the loops inside it, are few instructions.
 *
 * A call polls if its function polls at its entry, is in this module, and cannot be replaced by a
 * linker. A function elsewhere may be C. If a frontend asks for polls in loops only, it guarantees
 * that calls poll: then each call counts as a poll, except calls of this module's functions that
 * make no calls themselves.
 *
 * The work is not bounded for calls of leaf functions that are not generated code, and for the
 * returns from a deep recursion.
 */
#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/linkage.h"
#include "codegen/ir/loops.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/trip_count.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"
#include "support/fatal.h"

enum {
  MOST_WORK = 1 << 14, /* instructions of a function's loops that do not poll, each time they run */
  MOST_LEAF_WORK = 1 << 11,  /* instructions of a function that does not poll at all */
  MOST_ROUND_WORK = 1 << 11, /* of an iteration that polls by allocating only: once in 8 KiB */
  FOREIGN_WORK =
      1 << 10,         /* of a call of C, or of a function elsewhere that does not poll: a guess */
  COPIED_AT_ONCE = 16, /* bytes */
};

/* More than any bound. */
#define ENDLESS (UINT64_C(1) << 40)

/* A managed function whose body is certain to be the one that is called. */
struct polled_function {
  bool makes_calls;
  bool polls;    /* at its entry, or the frontend guarantees it */
  uint64_t work; /* of one call, if the function makes no calls itself */
};

struct polling {
  LLVMModuleRef module;
  bool at_entries;
  bool for_jit;
  struct values names;               /* the functions */
  struct polled_function *functions; /* of each name, in the same order */
};

/* The effect of a call or a block on polling. */
enum effect {
  EFFECT_NONE,
  EFFECT_ALLOCATES, /* polls when the TLAB is full */
  EFFECT_POLLS,
};

/* The state of placing polls in one function. */
struct placement {
  const struct polling *polling;
  struct loops loops;
  enum effect *effects; /* of the blocks */
  bool *polled;         /* blocks of the current loop */
  /* For each loop, and at the end for the function: */
  uint64_t *work;     /* of one iteration */
  uint64_t *unpolled; /* the part of `work` in inner loops that do not poll */
};

static uint64_t sum(uint64_t a, uint64_t b) {
  return a + b < ENDLESS ? a + b : ENDLESS;
}

static uint64_t product(uint64_t a, uint64_t b) {
  uint64_t result;
  return __builtin_mul_overflow(a, b, &result) || result > ENDLESS ? ENDLESS : result;
}

static bool makes_calls(LLVMValueRef function) {
  IR_EACH_INSTRUCTION_OF (instruction, function) {
    if (spgc_ir_is_safepoint(instruction))
      return true;
    if (spgc_ir_call_is_musttail(instruction))
      return true;
  }
  return false;
}

/* The JIT's loader refuses a second definition. */
static bool is_certain_to_be_called(const struct polling *polling, LLVMValueRef function) {
  return spgc_ir_is_local(function) ||
         (LLVMGetLinkage(function) == LLVMExternalLinkage &&
          (polling->for_jit || LLVMGetVisibility(function) != LLVMDefaultVisibility));
}

/* NULL if there is none. */
static const struct polled_function *find_function(const struct polling *polling,
                                                   LLVMValueRef function) {
  unsigned place = spgc_values_find(&polling->names, function);
  return place != VALUES_MISSING ? &polling->functions[place] : NULL;
}

static void list_functions(struct polling *polling) {
  IR_EACH_FUNCTION (function, polling->module)
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function))
      spgc_values_add(&polling->names, function);
  polling->functions = spgc_zeroed(polling->names.count, sizeof *polling->functions);
  for (unsigned i = 0; i < polling->names.count; i++) {
    bool calls = makes_calls(polling->names.at[i]);
    polling->functions[i] = (struct polled_function){.makes_calls = calls, .polls = calls};
  }
}

/* The work of intrinsics, and of the lowering's own functions that become intrinsics. Copying and
 * filling takes as long as there are bytes; others are a few instructions. */
static uint64_t intrinsic_work(LLVMValueRef call) {
  static const char *const nothing[] = {"llvm.dbg.", "llvm.lifetime."};
  static const char *const by_length[] = {"llvm.mem", PRELUDE_PREFIX "llvm.mem"};
  enum { LENGTH = 2 };
  LLVMValueRef callee = spgc_ir_callee(call);
  if (IR_NAME_STARTS_WITH_ANY(callee, nothing))
    return 0;
  if (!IR_NAME_STARTS_WITH_ANY(callee, by_length))
    return 1;
  LLVMValueRef length = LLVMGetOperand(call, LENGTH);
  if (LLVMIsAConstantInt(length) == NULL)
    return FOREIGN_WORK;
  return sum(1, LLVMConstIntGetZExtValue(length) / COPIED_AT_ONCE);
}

static enum effect effect_of_runtime(const struct polling *polling, LLVMValueRef callee) {
  static const char *const allocate[] = {"spgc_allocate", "spgc_allocate_array"};
  static const char *const poll[] = {"spgc_poll", "spgc_allocate_slow", "spgc_collect",
                                     "spgc_call_blocking"};
  if (IR_NAME_IS_AMONG(callee, allocate))
    return EFFECT_ALLOCATES;
  return polling->at_entries && !IR_NAME_IS_AMONG(callee, poll) ? EFFECT_NONE : EFFECT_POLLS;
}

static enum effect read_call(const struct polling *polling, LLVMValueRef call, uint64_t *work) {
  LLVMValueRef callee = spgc_ir_callee(call);
  *work = 1;
  if (callee == NULL && LLVMIsAInlineAsm(LLVMGetCalledValue(call)) != NULL)
    return EFFECT_NONE;
  bool leaf = spgc_ir_call_is_leaf(call);
  bool written_out = spgc_ir_is_any_intrinsic(call) ||
                     (callee != NULL && spgc_ir_name_starts_with(callee, PRELUDE_PREFIX));
  if (leaf && written_out) {
    *work = intrinsic_work(call);
    return EFFECT_NONE;
  }
  const struct polled_function *known = callee != NULL ? find_function(polling, callee) : NULL;
  bool certain = known != NULL && is_certain_to_be_called(polling, callee);
  if (certain && known->polls)
    return EFFECT_POLLS;
  if (certain) {
    *work = known->work;
    return EFFECT_NONE;
  }
  bool elsewhere = callee == NULL || known != NULL || spgc_ir_is_any_intrinsic(call);
  enum effect effect = leaf                               ? EFFECT_NONE
                       : elsewhere && polling->at_entries ? EFFECT_NONE
                       : elsewhere                        ? EFFECT_POLLS
                                                          : effect_of_runtime(polling, callee);
  if (effect == EFFECT_NONE)
    *work = FOREIGN_WORK;
  return effect;
}

/* The index of the sum for the work around the loop, or outside all loops. */
static int around(const struct placement *placement, int loop) {
  return loop == NO_LOOP ? (int)placement->loops.loop_count : loop;
}

static void read_block(struct placement *placement, size_t number) {
  const struct flow_block *block = &placement->loops.blocks[number];
  int loop = around(placement, block->loop);
  IR_EACH_INSTRUCTION (instruction, block->block) {
    uint64_t work = 1;
    if (spgc_ir_is_call(instruction)) {
      enum effect effect = read_call(placement->polling, instruction, &work);
      if (effect > placement->effects[number])
        placement->effects[number] = effect;
    }
    placement->work[loop] = sum(placement->work[loop], work);
  }
}

static void poll_before(LLVMValueRef instruction) {
  LLVMModuleRef module = spgc_ir_module_of(instruction);
  LLVMValueRef poll = LLVMGetNamedFunction(module, "spgc.poll");
  spgc_require(poll != NULL, "the prelude is not linked");
  LLVMBuilderRef builder = spgc_ir_builder_before(instruction);
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(poll), poll, NULL, 0, "");
  LLVMDisposeBuilder(builder);
}

/* True for an address of the moment: as addresses.c hides it, or what a leaf may have made of a
 * reference. */
static bool reads_address(LLVMValueRef instruction) {
  if (!spgc_ir_is_call(instruction) || !spgc_ir_call_passes_reference(instruction))
    return false;
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(instruction));
  return !spgc_ir_is_safepoint(instruction) && !spgc_ir_is_reference(instruction) &&
         (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind);
}

/* Whether `user` computes something from an address, or carries one into the round. A comparison
 * decides at once. */
static bool passes_address_on(LLVMValueRef user) {
  return LLVMIsAPHINode(user) != NULL || LLVMIsABinaryOperator(user) != NULL ||
         LLVMIsACastInst(user) != NULL || LLVMIsASelectInst(user) != NULL ||
         (spgc_ir_is_any_intrinsic(user) && !reads_address(user));
}

/* The addresses that the function reads, and what is computed from them. */
static struct values addresses_of(LLVMValueRef function) {
  struct values addresses = {0};
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (reads_address(instruction))
      spgc_values_add(&addresses, instruction);
  for (unsigned i = 0; i < addresses.count; i++)
    for (LLVMUseRef use = LLVMGetFirstUse(addresses.at[i]); use != NULL;
         use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      if (passes_address_on(user) && !spgc_values_contain(&addresses, user))
        spgc_values_add(&addresses, user);
    }
  return addresses;
}

/* The optimiser rotates loops: the condition of the next round stands at the end of this one. The
 * addresses that it reads are used in the next round, so the poll comes before them, if nothing
 * behind it uses an address of this round. */
static LLVMValueRef place_at_end(LLVMBasicBlockRef block) {
  LLVMValueRef place = LLVMGetBasicBlockTerminator(block);
  struct values addresses = addresses_of(LLVMGetBasicBlockParent(block));
  bool *is_used = spgc_zeroed(addresses.count, sizeof *is_used); /* behind `at`, read before it */
  unsigned used = 0;
  for (LLVMValueRef at = LLVMGetPreviousInstruction(place);
       addresses.count != 0 && at != NULL && LLVMIsAPHINode(at) == NULL;
       at = LLVMGetPreviousInstruction(at)) {
    unsigned own = spgc_values_find(&addresses, at);
    used -= own != VALUES_MISSING && is_used[own];
    for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(at); i++) {
      unsigned number = spgc_values_find(&addresses, LLVMGetOperand(at, i));
      if (number == VALUES_MISSING || is_used[number])
        continue;
      is_used[number] = true;
      used++;
    }
    if (used == 0 && reads_address(at))
      place = at;
  }
  free(is_used);
  spgc_values_free(&addresses);
  return place;
}

static void poll_at_end(const struct placement *placement, unsigned block) {
  poll_before(place_at_end(placement->loops.blocks[block].block));
}

static void poll_at_entry(LLVMValueRef function) {
  poll_before(spgc_ir_first_after_allocas(function));
}

/* Each way from the loop's header to the block has polled before the block does anything. Edges
 * back to the block, from blocks that it dominates, have passed it before. */
static bool has_polled(const struct placement *placement, unsigned header, unsigned block) {
  IR_EACH_EDGE (edge, placement->loops.blocks[block].block) {
    if (!spgc_loops_reaches(&placement->loops, spgc_ir_source(edge)))
      continue;
    unsigned from = spgc_loops_number(&placement->loops, spgc_ir_source(edge));
    if (from < header || (from < block && !placement->polled[from]) ||
        (from >= block && !spgc_loops_dominates(&placement->loops, block, from)))
      return false;
  }
  return true;
}

/* Finds the blocks after which each way from the loop's header has polled. */
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

/* The work of all iterations; ENDLESS if it is not known, or more than any bound. */
static uint64_t work_of_loop(const struct placement *placement, int loop) {
  uint64_t rounds =
      placement->work[loop] <= MOST_WORK ? spgc_trip_count(&placement->loops, loop) : 0;
  return rounds != 0 ? product(rounds, placement->work[loop]) : ENDLESS;
}

static bool rounds_poll(const struct placement *placement, int loop) {
  const struct loop *polled = &placement->loops.loops[loop];
  for (size_t i = 0; i < polled->latch_count; i++)
    if (!placement->polled[polled->latches[i]])
      return false;
  return true;
}

static void poll_latches(const struct placement *placement, int loop) {
  const struct loop *polled = &placement->loops.loops[loop];
  for (size_t i = 0; i < polled->latch_count; i++)
    if (!placement->polled[polled->latches[i]])
      poll_at_end(placement, polled->latches[i]);
}

/* Polls in a loop. The work before its first poll and after its last one counts for the code around
 * it. */
static void poll_loop(struct placement *placement, int loop) {
  int outside = around(placement, placement->loops.loops[loop].parent);
  uint64_t work = product(2, placement->work[loop]);
  follow_rounds(placement, loop);
  if (!rounds_poll(placement, loop)) {
    uint64_t all = work_of_loop(placement, loop);
    if (sum(all, placement->unpolled[outside]) <= MOST_WORK) {
      work = all;
      placement->unpolled[outside] += all;
    } else {
      poll_latches(placement, loop);
    }
  }
  placement->work[outside] = sum(placement->work[outside], work);
}

/* Returns the function's work without its entry's poll. */
static uint64_t poll_loops(const struct polling *polling, LLVMValueRef function) {
  struct placement placement = {.polling = polling};
  spgc_loops_find(&placement.loops, function);
  const struct loops *loops = &placement.loops;
  placement.effects = spgc_zeroed(loops->block_count, sizeof *placement.effects);
  placement.polled = spgc_zeroed(loops->block_count, sizeof *placement.polled);
  placement.work = spgc_zeroed(loops->loop_count + 1, sizeof *placement.work);
  placement.unpolled = spgc_zeroed(loops->loop_count + 1, sizeof *placement.unpolled);
  for (size_t i = 0; i < loops->block_count; i++)
    read_block(&placement, i);
  for (size_t i = 0; i < loops->loop_count; i++)
    poll_loop(&placement, (int)i);
  for (size_t i = 0; i < loops->irregular_count; i++)
    poll_at_end(&placement, loops->irregular[i]);
  uint64_t work = placement.work[loops->loop_count];
  spgc_loops_free(&placement.loops);
  free(placement.effects);
  free(placement.polled);
  free(placement.work);
  free(placement.unpolled);
  return work;
}

/* Functions that make no calls come first, because the others need their work. */
static void place(struct polling *polling) {
  for (unsigned i = 0; i < polling->names.count; i++) {
    struct polled_function *function = &polling->functions[i];
    if (function->makes_calls)
      continue;
    function->work = poll_loops(polling, polling->names.at[i]);
    function->polls = polling->at_entries && function->work > MOST_LEAF_WORK;
  }
  for (unsigned i = 0; i < polling->names.count; i++)
    if (polling->functions[i].makes_calls)
      poll_loops(polling, polling->names.at[i]);
  for (unsigned i = 0; i < polling->names.count; i++)
    if (polling->at_entries && polling->functions[i].polls)
      poll_at_entry(polling->names.at[i]);
}

enum spgc_result spgc_place_polls(struct lowering *lowering, struct spgc_error *error) {
  struct polling polling = {
      .module = lowering->module,
      .at_entries = lowering->options->polls == SPGC_POLLS_ENTRIES_AND_LOOPS,
      .for_jit = lowering->options->code == SPGC_CODE_JIT,
  };
  list_functions(&polling);
  place(&polling);
  spgc_values_free(&polling.names);
  free(polling.functions);
  return SPGC_OK;
}
