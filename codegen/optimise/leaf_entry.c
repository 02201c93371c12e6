/* Half of the calls of a function that walks a tree make no further call. A leaf entry saves such a
 * call the frame and the saved registers (docs/lowering.md, "Optimisation").
 *
 * The *leaf region* is the code that the function runs when it returns without a call: blocks from
 * its entry, without loops. Recursive calls go to its copy. At an exit from the region, the copy
 * calls the function with its own parameters, and the function starts again. Invariant: the region
 * writes only in its last part, which is certain to return, such as an inline allocation and the
 * stores into the new object.
 *
 * Polls and allocations are expanded already, so a poll that must stop or a full TLAB leaves the
 * region. */
#include <stdio.h>
#include <stdlib.h>

#include <llvm-c/DebugInfo.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/parts.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/values.h"
#include "codegen/optimise/optimise.h"
#include "support/fatal.h"

enum {
  MOST_BLOCKS = 32,    /* considered */
  LONGEST_PATH = 28,   /* instructions; a longer path may as well have a frame */
  LONGEST_MEMSET = 128 /* bytes stored inline */
};

struct region {
  LLVMValueRef function;
  LLVMBasicBlockRef blocks[MOST_BLOCKS];
  unsigned from_entry[MOST_BLOCKS]; /* instructions on the shortest path to the block, without it */
  unsigned to_return[MOST_BLOCKS];  /* likewise from the block to a return, with it */
  unsigned count;
};

enum effect {
  EFFECT_NONE,
  EFFECT_STORE, /* must not run again, but needs no frame */
  EFFECT_OTHER,
};

static bool is_harmless_intrinsic(LLVMValueRef call) {
  return spgc_ir_is_intrinsic(call, "llvm.threadlocal.address") ||
         spgc_ir_is_intrinsic(call, "llvm.thread.pointer") ||
         spgc_ir_is_intrinsic(call, "llvm.prefetch") ||
         spgc_ir_is_intrinsic(call, "llvm.sideeffect") || spgc_ir_is_intrinsic(call, "llvm.dbg.");
}

static bool is_short_memset(LLVMValueRef call) {
  enum { LENGTH = 2 };
  LLVMValueRef length =
      spgc_ir_is_intrinsic(call, "llvm.memset.") ? LLVMGetOperand(call, LENGTH) : NULL;
  return length != NULL && LLVMIsAConstantInt(length) != NULL &&
         LLVMConstIntGetZExtValue(length) <= LONGEST_MEMSET;
}

static enum effect effect_of_instruction(LLVMValueRef instruction) {
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMLoad:
    return !LLVMGetVolatile(instruction) || spgc_ir_is_thread_word(LLVMGetOperand(instruction, 0))
               ? EFFECT_NONE
               : EFFECT_OTHER;
  case LLVMStore: return LLVMGetVolatile(instruction) ? EFFECT_OTHER : EFFECT_STORE;
  case LLVMCall:
    if (is_harmless_intrinsic(instruction))
      return EFFECT_NONE;
    return is_short_memset(instruction) ? EFFECT_STORE : EFFECT_OTHER;
  case LLVMRet:
  case LLVMBr:
  case LLVMSwitch:
  case LLVMPHI:
  case LLVMSelect:
  case LLVMICmp:
  case LLVMFCmp:
  case LLVMGetElementPtr:
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMShl:
  case LLVMLShr:
  case LLVMAShr:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMFAdd:
  case LLVMFSub:
  case LLVMFMul:
  case LLVMFreeze: return EFFECT_NONE;
  default: return EFFECT_OTHER;
  }
}

static enum effect effect_of_block(LLVMBasicBlockRef block) {
  bool stores = false;
  IR_EACH_INSTRUCTION (instruction, block) {
    enum effect effect = effect_of_instruction(instruction);
    if (effect == EFFECT_OTHER)
      return EFFECT_OTHER;
    stores |= effect == EFFECT_STORE;
  }
  return stores ? EFFECT_STORE : EFFECT_NONE;
}

static unsigned successor_count(LLVMBasicBlockRef block) {
  return LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(block));
}

static LLVMBasicBlockRef successor(LLVMBasicBlockRef block, unsigned i) {
  return LLVMGetSuccessor(LLVMGetBasicBlockTerminator(block), i);
}

static bool returns(LLVMBasicBlockRef block) {
  return LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(block)) != NULL;
}

static int index_of(const LLVMBasicBlockRef *blocks, unsigned count, LLVMBasicBlockRef block) {
  for (unsigned i = 0; i < count; i++)
    if (blocks[i] == block)
      return (int)i;
  return -1;
}

static unsigned instruction_count(LLVMBasicBlockRef block) {
  unsigned count = 0;
  IR_EACH_INSTRUCTION (instruction, block)
    count++;
  return count;
}

/* A block that stores must always continue to a return. */
static bool is_final(LLVMBasicBlockRef block) {
  for (unsigned i = 0; i < MOST_BLOCKS && effect_of_block(block) != EFFECT_OTHER; i++) {
    if (returns(block))
      return true;
    if (successor_count(block) != 1)
      return false;
    block = successor(block, 0);
  }
  return false;
}

static bool may_belong(LLVMBasicBlockRef block) {
  enum effect effect = effect_of_block(block);
  return effect == EFFECT_NONE || (effect == EFFECT_STORE && is_final(block));
}

static void add(struct region *region, LLVMBasicBlockRef block, unsigned from_entry) {
  if (index_of(region->blocks, region->count, block) >= 0 || region->count == MOST_BLOCKS ||
      from_entry > LONGEST_PATH || !may_belong(block))
    return;
  region->blocks[region->count] = block;
  region->from_entry[region->count] = from_entry;
  region->to_return[region->count++] = LONGEST_PATH;
}

static bool shorten(unsigned *distance, unsigned other) {
  bool shorter = other < *distance;
  if (shorter)
    *distance = other;
  return shorter;
}

static bool measure_block(struct region *region, unsigned i) {
  LLVMBasicBlockRef block = region->blocks[i];
  unsigned own = instruction_count(block);
  bool shorter = returns(block) && shorten(&region->to_return[i], own);
  for (unsigned s = 0; s < successor_count(block); s++) {
    int next = index_of(region->blocks, region->count, successor(block, s));
    if (next < 0)
      continue;
    shorter |= shorten(&region->from_entry[next], region->from_entry[i] + own);
    shorter |= shorten(&region->to_return[i], own + region->to_return[next]);
  }
  return shorter;
}

static void measure_paths(struct region *region) {
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (unsigned i = 0; i < region->count; i++)
      shorter |= measure_block(region, i);
  }
}

static void keep_short_paths(struct region *region) {
  unsigned count = 0;
  for (unsigned i = 0; i < region->count; i++)
    if (region->from_entry[i] + region->to_return[i] < LONGEST_PATH)
      region->blocks[count++] = region->blocks[i];
  region->count = count;
}

/* `state` is 1 during a block's visit, and 2 afterwards. */
static bool has_cycle(const struct region *region, unsigned i, char state[MOST_BLOCKS]) {
  state[i] = 1;
  for (unsigned s = 0; s < successor_count(region->blocks[i]); s++) {
    int next = index_of(region->blocks, region->count, successor(region->blocks[i], s));
    if (next >= 0 &&
        (state[next] == 1 || (state[next] == 0 && has_cycle(region, (unsigned)next, state))))
      return true;
  }
  state[i] = 2;
  return false;
}

static bool find_region(struct region *region) {
  add(region, LLVMGetEntryBasicBlock(region->function), 0);
  for (unsigned i = 0; i < region->count; i++)
    for (unsigned s = 0; s < successor_count(region->blocks[i]); s++)
      add(region, successor(region->blocks[i], s),
          region->from_entry[i] + instruction_count(region->blocks[i]));
  measure_paths(region);
  keep_short_paths(region);
  char state[MOST_BLOCKS] = {0};
  return region->count != 0 && !has_cycle(region, 0, state);
}

static LLVMBasicBlockRef call_function(LLVMValueRef function, LLVMValueRef copy) {
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(copy));
  LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(context, copy, "rest");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, block);
  struct values parameters = {0};
  for (unsigned i = 0; i < LLVMCountParams(copy); i++)
    spgc_values_add(&parameters, LLVMGetParam(copy, i));
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  LLVMValueRef call = LLVMBuildCall2(builder, type, function, parameters.at, parameters.count, "");
  LLVMSetTailCallKind(call, LLVMTailCallKindMustTail);
  LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(function));
  /* LLVM requires a tail call to have its caller's result attributes. */
  spgc_ir_copy_attributes(function, call, LLVMAttributeReturnIndex);
  spgc_ir_add_string(call, "gc-leaf-function"); /* its frame is gone by then */
  if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
    LLVMBuildRetVoid(builder);
  else
    LLVMBuildRet(builder, call);
  spgc_values_free(&parameters);
  LLVMDisposeBuilder(builder);
  return block;
}

/* The function itself prefetches if it continues, and source lines stay its own. */
static void strip(LLVMBasicBlockRef block) {
  for (LLVMValueRef next, instruction = LLVMGetFirstInstruction(block); instruction != NULL;
       instruction = next) {
    next = LLVMGetNextInstruction(instruction);
    LLVMInstructionSetDebugLoc(instruction, NULL);
    if (spgc_ir_is_intrinsic(instruction, "llvm.prefetch"))
      LLVMInstructionEraseFromParent(instruction);
  }
}

static LLVMValueRef clone(LLVMValueRef function) {
  size_t length;
  char *name;
  spgc_require(asprintf(&name, PRELUDE_PREFIX "leaf.%s", LLVMGetValueName2(function, &length)) >= 0,
               "out of memory");
  LLVMValueRef copy = spgc_function_clone(function, name);
  free(name);
  return copy;
}

/* In the function's order. Blocks outside the region become unreachable. */
static LLVMValueRef copy_region(const struct region *region) {
  LLVMBasicBlockRef copies[MOST_BLOCKS] = {NULL};
  LLVMValueRef copy = clone(region->function);
  LLVMBasicBlockRef of_copy = LLVMGetFirstBasicBlock(copy);
  IR_EACH_BLOCK (block, region->function) {
    int i = index_of(region->blocks, region->count, block);
    if (i >= 0)
      copies[i] = of_copy;
    of_copy = LLVMGetNextBasicBlock(of_copy);
  }
  LLVMBasicBlockRef rest = call_function(region->function, copy);
  for (unsigned i = 0; i < region->count; i++) {
    spgc_require(copies[i] != NULL, "a region with blocks of another function");
    strip(copies[i]);
    for (unsigned s = 0; s < successor_count(copies[i]); s++)
      if (index_of(copies, region->count, successor(copies[i], s)) < 0)
        LLVMSetSuccessor(LLVMGetBasicBlockTerminator(copies[i]), s, rest);
  }
  return copy;
}

static void find_calls(LLVMValueRef function, struct values *calls) {
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (spgc_ir_is_call(instruction) && spgc_ir_callee(instruction) == function)
      spgc_values_add(calls, instruction);
}

/* A copy must be able to pass its parameters on. Attributes for passing a parameter must be the
 * same at a tail call, and structures with references would be split too late. */
static bool passes_plain_parameters(LLVMValueRef function) {
  static const char *const kinds[] = {"byval",      "byref",     "inalloca",  "preallocated",
                                      "sret",       "swiftself", "nest",      "swifterror",
                                      "swiftasync", "inreg",     "alignstack"};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (unsigned i = 1; i <= LLVMCountParams(function); i++)
      if (spgc_ir_attribute_at(function, i, kinds[k]) != NULL)
        return false;
  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    if (spgc_ir_type_is_aggregate_of_references(LLVMTypeOf(LLVMGetParam(function, i))))
      return false;
  return true;
}

static bool may_have_leaf_entry(LLVMValueRef function) {
  return !LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function) &&
         spgc_ir_function_may_be_copied(function) && passes_plain_parameters(function) &&
         spgc_parts_fit_parameters(LLVMGlobalGetValueType(function),
                                   spgc_processor_of_module(LLVMGetGlobalParent(function)));
}

static bool give_leaf_entry(LLVMValueRef function) {
  struct values calls = {0};
  struct region region = {.function = function};
  find_calls(function, &calls);
  bool useful = calls.count != 0 && find_region(&region);
  if (useful) {
    LLVMValueRef copy = copy_region(&region);
    for (unsigned i = 0; i < calls.count; i++)
      spgc_ir_call_set_callee(calls.at[i], copy);
  }
  spgc_values_free(&calls);
  return useful;
}

enum spgc_result spgc_give_leaf_entries(struct lowering *lowering, struct spgc_error *error) {
  if (lowering->options->optimisation < OPTIMISES_RECURSION || !lowering->options->leaf_entries)
    return SPGC_OK;
  bool changed = false;
  IR_EACH_FUNCTION (function, lowering->module)
    if (may_have_leaf_entry(function))
      changed |= give_leaf_entry(function);
  if (changed)
    spgc_run_passes(lowering, "function(early-cse,simplifycfg)");
  return SPGC_OK;
}
