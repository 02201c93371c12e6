/* Prefetching: while a function that walks a structure calls itself for one field of an object,
 * what it will call itself for next is fetched. A walk of a large tree then waits for memory half
 * as often.
 *
 * Where an object is read, a path is followed from there: the blocks that are certain to be
 * reached, and those between them that may be skipped. When the function calls itself on it a
 * second time, for a reference that is loaded from the same object in a block that is certain to be
 * reached, that reference is loaded where the object was read first, and prefetched. Any other call
 * ends the path, because it need not return. The function's calls of itself need not return either,
 * and then the program never reads the field, which the object may lack. So this is done only if
 * the frontend vouches for the fields (`prefetch_recursion`). (Luk and Mowry, "Compiler-based
 * prefetching for recursive data structures", ASPLOS 1996: greedy prefetching.) */
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/values.h"

enum {
  LONGEST_PATH =
      64, /* instructions: what is needed later than that is soon enough fetched when it is */
  MOST_BLOCKS = 16,
  MOST_PREFETCHES = 64, /* of a function: code that reads so many fields is no walk */
};

struct path {
  LLVMValueRef function, start; /* a load from `object` */
  LLVMValueRef object;
  struct values
      fields; /* references loaded from the object, in blocks that are certain to be reached */
  LLVMBasicBlockRef certain[MOST_BLOCKS];
  unsigned certain_count, instructions, calls; /* of the function, by itself */
};

/* The pointer an address lies at a constant distance from. */
static LLVMValueRef object_of(LLVMValueRef address) {
  if (LLVMIsAGetElementPtrInst(address) == NULL)
    return address;
  for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(address); i++)
    if (!LLVMIsConstant(LLVMGetOperand(address, i)))
      return address;
  return LLVMGetOperand(address, 0);
}

static bool is_read_of_object(LLVMValueRef instruction) {
  return LLVMIsALoadInst(instruction) && spgc_ir_is_reference(LLVMGetOperand(instruction, 0)) &&
         !LLVMGetVolatile(instruction) &&
         LLVMGetOrdering(instruction) <= LLVMAtomicOrderingUnordered;
}

static void prefetch(const struct path *path, LLVMValueRef field) {
  LLVMValueRef address = LLVMGetOperand(field, 0);
  LLVMTypeRef type = LLVMTypeOf(field), i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
  LLVMValueRef intrinsic = LLVMGetIntrinsicDeclaration(
      LLVMGetGlobalParent(path->function), LLVMLookupIntrinsicID("llvm.prefetch", 13), &type, 1);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(type));
  LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(path->start));
  if (address != path->object) {
    address = LLVMInstructionClone(address);
    LLVMInsertIntoBuilder(builder, address);
  }
  enum { READ = 0, KEEP = 3, DATA = 1 };
  LLVMValueRef arguments[] = {LLVMBuildLoad2(builder, type, address, ""),
                              LLVMConstInt(i32, READ, false), LLVMConstInt(i32, KEEP, false),
                              LLVMConstInt(i32, DATA, false)};
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(intrinsic), intrinsic, arguments, 4, "");
  LLVMDisposeBuilder(builder);
}

static void prefetch_arguments(const struct path *path, LLVMValueRef call,
                               struct values *prefetched) {
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call) && prefetched->count < MOST_PREFETCHES;
       i++) {
    LLVMValueRef argument = LLVMGetOperand(call, i);
    if (spgc_values_contain(&path->fields, argument) &&
        !spgc_values_contain(prefetched, argument)) {
      prefetch(path, argument);
      spgc_values_add(prefetched, argument);
    }
  }
}

/* Returns whether the path goes on. */
static bool follow_instruction(struct path *path, LLVMValueRef instruction, bool certain,
                               struct values *prefetched) {
  if (instruction == path->object || ++path->instructions > LONGEST_PATH)
    return false;
  if (certain && is_read_of_object(instruction) && spgc_ir_is_reference(instruction) &&
      object_of(LLVMGetOperand(instruction, 0)) == path->object)
    spgc_values_add(&path->fields, instruction);
  if (!spgc_ir_is_call(instruction) || spgc_ir_is_any_intrinsic(instruction))
    return true;
  if (spgc_ir_callee(instruction) != path->function)
    return false;
  if (path->calls++ != 0)
    prefetch_arguments(path, instruction, prefetched);
  return true;
}

static bool follow_instructions(struct path *path, LLVMValueRef first, bool certain,
                                struct values *prefetched) {
  for (LLVMValueRef next, instruction = first; instruction != NULL; instruction = next) {
    next = LLVMGetNextInstruction(instruction);
    if (!follow_instruction(path, instruction, certain, prefetched))
      return false;
  }
  return true;
}

/* The block that a block always goes to, if nothing is thrown; NULL: there are several. */
static LLVMBasicBlockRef only_successor(LLVMBasicBlockRef block) {
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
  if (LLVMIsAInvokeInst(terminator))
    return LLVMGetNormalDest(terminator);
  return LLVMIsABranchInst(terminator) && !LLVMIsConditional(terminator)
             ? LLVMGetSuccessor(terminator, 0)
             : NULL;
}

/* The next block that is certain to be reached; *skipped: one that may be reached before it, or
 * NULL. */
static LLVMBasicBlockRef next_certain(LLVMBasicBlockRef block, LLVMBasicBlockRef *skipped) {
  LLVMValueRef terminator = LLVMGetBasicBlockTerminator(block);
  *skipped = NULL;
  if (!LLVMIsABranchInst(terminator) || !LLVMIsConditional(terminator))
    return only_successor(block);
  for (unsigned i = 0; i < 2; i++) {
    LLVMBasicBlockRef side = LLVMGetSuccessor(terminator, i),
                      join = LLVMGetSuccessor(terminator, 1 - i);
    if (only_successor(side) == join) {
      *skipped = side;
      return join;
    }
  }
  return NULL;
}

static bool is_on_path(const struct path *path, LLVMBasicBlockRef block) {
  for (unsigned i = 0; i < path->certain_count; i++)
    if (path->certain[i] == block)
      return true;
  return false;
}

static void follow(struct path *path, struct values *prefetched) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(path->start), skipped;
  bool goes_on = follow_instructions(path, path->start, true, prefetched);
  while (goes_on && path->certain_count < MOST_BLOCKS) {
    path->certain[path->certain_count++] = block;
    block = next_certain(block, &skipped);
    goes_on = block != NULL && !is_on_path(path, block) &&
              (skipped == NULL ||
               follow_instructions(path, LLVMGetFirstInstruction(skipped), false, prefetched)) &&
              follow_instructions(path, LLVMGetFirstInstruction(block), true, prefetched);
  }
}

static void prefetch_in(LLVMValueRef function) {
  struct values prefetched = {0};
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      if (is_read_of_object(instruction)) {
        struct path path = {.function = function,
                            .start = instruction,
                            .object = object_of(LLVMGetOperand(instruction, 0))};
        follow(&path, &prefetched);
        spgc_values_free(&path.fields);
      }
  spgc_values_free(&prefetched);
}

enum spgc_result spgc_prefetch_recursion(struct lowering *lowering, struct spgc_error *error) {
  if (lowering->options->optimisation < OPTIMISES_RECURSION ||
      !lowering->options->prefetch_recursion)
    return SPGC_OK;
  IR_EACH_FUNCTION (function, lowering->module)
    if (spgc_ir_function_is_managed(function) && spgc_ir_function_may_grow(function))
      prefetch_in(function);
  return SPGC_OK;
}
