/* Addresses of objects as integers.
 *
 * The optimiser assumes that a ptrtoint of a reference always gives the same number: it merges one
 * made after a safepoint with one made before it, and hoists it out of loops. So casts, and
 * comparisons of the order of references, read the address by calling a function that the optimiser
 * does not know, where the program wrote them. After statepoints are inserted, the calls become
 * casts of the relocated references.
 *
 * A call stays in its place because it claims to write the memory that a safepoint writes. That
 * holds only if every call that may be a safepoint claims to do so, too, even a call of a function
 * whose polls are not inserted yet. Therefore each managed function contains an llvm.sideeffect,
 * which optimisations in the function itself ignore.
 */
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/values.h"

#include <string.h>

#include "codegen/check/check.h"
#include "codegen/ir/address_use.h"
#include "codegen/ir/storage.h"
#include "support/fatal.h"

static const char address_of[] = PRELUDE_PREFIX "address_of";

static LLVMTypeRef address_type(LLVMContextRef context) {
  LLVMTypeRef reference = LLVMPointerTypeInContext(context, IR_REFERENCE_ADDRESS_SPACE);
  return LLVMFunctionType(LLVMInt64TypeInContext(context), &reference, 1, false);
}

static LLVMValueRef address_function(LLVMModuleRef module) {
  return spgc_note_function(module, address_of, address_type(LLVMGetModuleContext(module)));
}

LLVMValueRef spgc_read_address(LLVMBuilderRef builder, LLVMModuleRef module,
                               LLVMValueRef reference) {
  LLVMTypeRef type = address_type(LLVMGetModuleContext(module));
  return LLVMBuildCall2(builder, type, address_function(module), &reference, 1, "");
}

static LLVMBuilderRef builder_before(LLVMValueRef instruction) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(instruction)));
  LLVMPositionBuilderBefore(builder, instruction);
  return builder;
}

static void replace(LLVMValueRef instruction, LLVMValueRef replacement) {
  LLVMReplaceAllUsesWith(instruction, replacement);
  LLVMInstructionEraseFromParent(instruction);
}

/* No call that may be a safepoint lies between two instructions of a block. */
static bool follows_directly(LLVMValueRef first, LLVMValueRef second) {
  if (LLVMGetInstructionParent(first) != LLVMGetInstructionParent(second))
    return false;
  for (LLVMValueRef instruction = first; instruction != NULL;
       instruction = LLVMGetNextInstruction(instruction)) {
    if (instruction == second)
      return true;
    if (spgc_ir_is_call(instruction) && !spgc_ir_call_is_leaf(instruction))
      return false;
  }
  return false;
}

static bool is_address(LLVMValueRef value) {
  return LLVMIsAPtrToIntInst(value) != NULL && spgc_ir_is_reference(LLVMGetOperand(value, 0)) &&
         LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64;
}

/* `(long)p == (long)q` and `(T *)(long)p` mean the references themselves, because nothing happens
 * in between. */
static void simplify(LLVMValueRef instruction) {
  LLVMValueRef first = LLVMIsAICmpInst(instruction) || LLVMIsAIntToPtrInst(instruction) != NULL
                           ? LLVMGetOperand(instruction, 0)
                           : NULL;
  if (first == NULL || !is_address(first) || !follows_directly(first, instruction))
    return;
  if (LLVMIsAIntToPtrInst(instruction)) {
    if (spgc_ir_is_reference(instruction))
      replace(instruction, LLVMGetOperand(first, 0));
    return;
  }
  LLVMValueRef second = LLVMGetOperand(instruction, 1);
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(instruction);
  if ((predicate != LLVMIntEQ && predicate != LLVMIntNE) || !is_address(second) ||
      !follows_directly(second, instruction))
    return;
  LLVMBuilderRef builder = builder_before(instruction);
  replace(instruction, LLVMBuildICmp(builder, predicate, LLVMGetOperand(first, 0),
                                     LLVMGetOperand(second, 0), ""));
  LLVMDisposeBuilder(builder);
}

static void hide_cast(LLVMModuleRef module, LLVMValueRef cast) {
  if (spgc_address_uses_survive_moving(cast))
    return;
  LLVMBuilderRef builder = builder_before(cast);
  LLVMValueRef address = spgc_read_address(builder, module, LLVMGetOperand(cast, 0));
  replace(cast, LLVMBuildIntCast2(builder, address, LLVMTypeOf(cast), false, ""));
  LLVMDisposeBuilder(builder);
}

static bool is_ordered_compare(LLVMValueRef instruction) {
  return LLVMIsAICmpInst(instruction) != NULL &&
         spgc_ir_type_is_reference(LLVMTypeOf(LLVMGetOperand(instruction, 0))) &&
         LLVMGetICmpPredicate(instruction) != LLVMIntEQ &&
         LLVMGetICmpPredicate(instruction) != LLVMIntNE;
}

/* Two pointers into one object move together, so their comparison needs no addresses. */
static void hide_compare(LLVMModuleRef module, LLVMValueRef compare) {
  LLVMValueRef left = LLVMGetOperand(compare, 0), right = LLVMGetOperand(compare, 1);
  LLVMValueRef base = spgc_ir_only_base(left);
  if (base != NULL && base == spgc_ir_only_base(right))
    return;
  LLVMBuilderRef builder = builder_before(compare);
  LLVMValueRef left_address = spgc_read_address(builder, module, left),
               right_address = spgc_read_address(builder, module, right);
  replace(compare,
          LLVMBuildICmp(builder, LLVMGetICmpPredicate(compare), left_address, right_address, ""));
  LLVMDisposeBuilder(builder);
}

static const struct objection several_at_once = {
    7, "the addresses of a vector of references, as numbers, would be stale after a collection",
    "take the references out of the vector, and cast or compare them one by one"};
static const struct objection made_of_address = {
    5,
    "a reference is made of a number that was computed from the address of an object, and the "
    "collector does not know that it belongs to the object",
    "compute with getelementptr on the reference itself (in C, with the pointer, not with an "
    "integer made of it); keep tags and flags in a word of their own"};

static const struct objection *check_addresses(LLVMValueRef instruction) {
  if (LLVMIsAPtrToIntInst(instruction) || LLVMIsAICmpInst(instruction)) {
    bool ordered =
        LLVMIsAPtrToIntInst(instruction) || (LLVMGetICmpPredicate(instruction) != LLVMIntEQ &&
                                             LLVMGetICmpPredicate(instruction) != LLVMIntNE);
    bool vector =
        LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(instruction, 0))) == LLVMVectorTypeKind &&
        spgc_ir_type_contains_reference(LLVMTypeOf(LLVMGetOperand(instruction, 0)));
    return ordered && vector ? &several_at_once : NULL;
  }
  if (LLVMIsAIntToPtrInst(instruction) && spgc_ir_type_contains_reference(LLVMTypeOf(instruction)))
    return spgc_address_source(LLVMGetOperand(instruction, 0)) != NULL ? &made_of_address : NULL;
  return NULL;
}

/* True for a value that may be its operand unchanged. */
static bool is_choice(LLVMValueRef value) {
  return LLVMIsAPHINode(value) != NULL || LLVMIsASelectInst(value) != NULL ||
         LLVMIsAFreezeInst(value) != NULL;
}

/* True if the integer, or a choice between it and others, is cast to a reference. */
static bool becomes_reference(LLVMValueRef integer) {
  struct values same = {0};
  bool becomes = false;
  spgc_values_add(&same, integer);
  for (unsigned i = 0; i < same.count && !becomes; i++)
    for (LLVMUseRef use = LLVMGetFirstUse(same.at[i]); use != NULL; use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      becomes = becomes || (LLVMIsAIntToPtrInst(user) != NULL && spgc_ir_is_reference(user));
      if (is_choice(user) && !spgc_values_contain(&same, user))
        spgc_values_add(&same, user);
    }
  spgc_values_free(&same);
  return becomes;
}

/* True for a word of an object or a variable that is loaded as an integer and may be cast to a
 * reference. */
static bool is_read_as_reference(LLVMTargetDataRef data, LLVMValueRef load) {
  return LLVMIsALoadInst(load) != NULL &&
         LLVMGetTypeKind(LLVMTypeOf(load)) == LLVMIntegerTypeKind &&
         LLVMGetIntTypeWidth(LLVMTypeOf(load)) == 64 && becomes_reference(load) &&
         spgc_leads_to_reference(data, LLVMGetOperand(load, 0));
}

/* Replaces the casts of an integer to references. */
static void replace_casts(LLVMValueRef integer, LLVMValueRef reference) {
  for (LLVMUseRef use = LLVMGetFirstUse(integer), next; use != NULL; use = next) {
    LLVMValueRef user = LLVMGetUser(use);
    next = LLVMGetNextUse(use);
    if (LLVMIsAIntToPtrInst(user) && spgc_ir_is_reference(user))
      replace(user, reference);
  }
}

/* Replaces the other uses by the address that the reference has here. It is hidden at once where it
 * may become a reference again, because the word may be a number, and arithmetic with it is right.
 */
static void replace_number(LLVMBuilderRef builder, LLVMValueRef load, LLVMValueRef reference) {
  LLVMValueRef cast = LLVMBuildPtrToInt(builder, reference, LLVMTypeOf(load), "");
  LLVMReplaceAllUsesWith(load, cast);
  if (!spgc_address_uses_survive_moving(cast)) {
    LLVMModuleRef module =
        LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(load)));
    replace(cast, spgc_read_address(builder, module, reference));
  }
}

/* Loads the word as a reference, because the optimiser would reuse an integer that was stored or
 * loaded there before a safepoint. */
static LLVMValueRef read_as_reference(LLVMValueRef load) {
  LLVMBuilderRef builder = builder_before(load);
  LLVMTypeRef type =
      LLVMPointerTypeInContext(LLVMGetTypeContext(LLVMTypeOf(load)), IR_REFERENCE_ADDRESS_SPACE);
  LLVMValueRef reference = LLVMBuildLoad2(builder, type, LLVMGetOperand(load, 0), "");
  LLVMSetAlignment(reference, LLVMGetAlignment(load));
  LLVMSetVolatile(reference, LLVMGetVolatile(load));
  LLVMSetOrdering(reference, LLVMGetOrdering(load));
  if (LLVMGetOrdering(load) != LLVMAtomicOrderingNotAtomic)
    LLVMSetAtomicSingleThread(reference, LLVMIsAtomicSingleThread(load));
  replace_casts(load, reference);
  if (LLVMGetFirstUse(load) != NULL)
    replace_number(builder, load, reference);
  LLVMInstructionEraseFromParent(load);
  LLVMDisposeBuilder(builder);
  return reference;
}

/* True for the address of a word that spgc_type_atomics or spgc_show_shared_words made a reference,
 * because the program read it as a number. */
static bool is_number_of_word(LLVMValueRef value) {
  LLVMValueRef callee = spgc_ir_is_call(value) ? spgc_ir_callee(value) : NULL;
  return callee != NULL && spgc_ir_name_is(callee, address_of);
}

/* Collects the instructions to be hidden first, because hiding them changes the function. */
static enum spgc_result find_addresses(LLVMValueRef function, struct values *found,
                                       struct spgc_error *error) {
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(LLVMGetGlobalParent(function));
  IR_EACH_BLOCK (block, function)
    for (LLVMValueRef instruction = LLVMGetFirstInstruction(block), next; instruction != NULL;
         instruction = next) {
      if (is_read_as_reference(data, instruction))
        instruction = read_as_reference(instruction);
      if (is_number_of_word(instruction))
        replace_casts(instruction, LLVMGetArgOperand(instruction, 0));
      next = LLVMGetNextInstruction(instruction);
      simplify(instruction);
    }
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block) {
      const struct objection *objection = check_addresses(instruction);
      if (objection != NULL) {
        if (spgc_reject_instruction(instruction, objection, error) != SPGC_OK)
          return SPGC_ERROR_REJECTED;
        continue;
      }
      bool cast =
          LLVMIsAPtrToIntInst(instruction) && spgc_ir_is_reference(LLVMGetOperand(instruction, 0));
      if (cast || is_ordered_compare(instruction))
        spgc_values_add(found, instruction);
    }
  return SPGC_OK;
}

void spgc_claim_effects(LLVMModuleRef module, LLVMValueRef function) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  LLVMPositionBuilderBefore(builder, spgc_ir_first_after_allocas(function));
  unsigned id = LLVMLookupIntrinsicID("llvm.sideeffect", strlen("llvm.sideeffect"));
  LLVMValueRef sideeffect = LLVMGetIntrinsicDeclaration(module, id, NULL, 0);
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(sideeffect), sideeffect, NULL, 0, "");
  LLVMDisposeBuilder(builder);
}

static void claim_effects_of_safepoints(LLVMModuleRef module) {
  IR_EACH_FUNCTION (function, module) {
    if (LLVMGetIntrinsicID(function) != 0)
      continue;
    spgc_declare_safepoint(function);
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function))
      spgc_claim_effects(module, function);
  }
}

enum spgc_result spgc_hide_addresses(struct lowering *lowering, struct spgc_error *error) {
  struct values found = {0};
  enum spgc_result result = SPGC_OK;
  for (LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
       function != NULL && result == SPGC_OK; function = LLVMGetNextFunction(function))
    result = find_addresses(function, &found, error);
  for (unsigned i = 0; i < found.count && result == SPGC_OK; i++) {
    if (LLVMIsAICmpInst(found.at[i]))
      hide_compare(lowering->module, found.at[i]);
    else
      hide_cast(lowering->module, found.at[i]);
  }
  spgc_values_free(&found);
  return result;
}

enum spgc_result spgc_claim_safepoints(struct lowering *lowering, struct spgc_error *error) {
  if (lowering->hides_words || lowering->reads_addresses ||
      LLVMGetNamedFunction(lowering->module, address_of) != NULL)
    claim_effects_of_safepoints(lowering->module);
  return SPGC_OK;
}

enum spgc_result spgc_show_addresses(struct lowering *lowering, struct spgc_error *error) {
  LLVMValueRef function = LLVMGetNamedFunction(lowering->module, address_of);
  if (function == NULL)
    return SPGC_OK;
  for (LLVMUseRef use; (use = LLVMGetFirstUse(function)) != NULL;) {
    LLVMValueRef call = LLVMGetUser(use);
    LLVMBuilderRef builder = builder_before(call);
    replace(call, LLVMBuildPtrToInt(builder, LLVMGetOperand(call, 0), LLVMTypeOf(call), ""));
    LLVMDisposeBuilder(builder);
  }
  LLVMDeleteFunction(function);
  return SPGC_OK;
}
