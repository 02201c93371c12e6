/* Rules for copies out of objects into memory of unknown owner: through an ordinary pointer, which
 * may be the address of a caller's variable, or come from malloc. No collection finds a reference
 * that a word hides there.
 *
 * The types of the copied words are known while copies are as the frontend left them. The target of
 * an ordinary pointer is known once local variables are values. So copies are noted before
 * promotion, by a call that promotion does not understand, and judged after it.
 *
 * Copies back into an object need no rule, because words that came in by no other way hold numbers.
 */
#include "codegen/check/check.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/storage.h"
#include "codegen/ir/values.h"

enum { DESTINATION, SOURCE, LENGTH };
enum { WORD = sizeof(uint64_t), MOST_BYTES = 4096, MOST_STEPS = 8 };

static const char note_name[] = PRELUDE_PREFIX "passed_out";

static const struct objection passed_out = {
    19,
    "a word that may be a reference is copied through an ordinary pointer, and its type does not "
    "show it, so the collector would not find it",
    "declare the word as a reference (in a union, as the first member), or copy the fields one by "
    "one"};

static bool is_unowned(LLVMValueRef pointer) {
  if (spgc_ir_is_reference(pointer))
    return false;
  LLVMValueRef object = spgc_ir_underlying_object(pointer);
  return LLVMIsAAllocaInst(object) == NULL && LLVMIsAGlobalVariable(object) == NULL;
}

/* A word whose source shows nothing may still be copied to a destination that hides it. */
static bool is_lost(enum storage source, enum storage destination) {
  switch (source) {
  case STORAGE_HIDDEN: return destination != STORAGE_REFERENCE;
  case STORAGE_REFERENCE: return destination != STORAGE_REFERENCE && destination != STORAGE_UNKNOWN;
  case STORAGE_UNKNOWN: return destination == STORAGE_HIDDEN;
  default: return false;
  }
}

/* The worst of the storages that a phi or select may lead to. */
static enum storage storage_of(LLVMTargetDataRef data, LLVMValueRef pointer, uint64_t offset,
                               unsigned steps) {
  bool choice = LLVMIsAPHINode(pointer) != NULL || LLVMIsASelectInst(pointer) != NULL;
  if (!choice || steps == 0)
    return spgc_storage_at(data, spgc_place_of(data, pointer), offset);
  enum storage worst = STORAGE_UNKNOWN;
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(pointer); i++) {
    LLVMValueRef operand = LLVMGetOperand(pointer, i);
    if (!spgc_ir_is_reference(operand))
      continue;
    enum storage storage = storage_of(data, operand, offset, steps - 1);
    worst = storage > worst ? storage : worst;
  }
  return worst;
}

static bool hides_word(LLVMTargetDataRef data, LLVMTypeRef type) {
  for (uint64_t offset = 0; offset + WORD <= LLVMABISizeOfType(data, type) && offset < MOST_BYTES;
       offset += WORD)
    if (spgc_storage_at(data, (struct place){type, 0}, offset) == STORAGE_HIDDEN)
      return true;
  return false;
}

/* True if the type, or one inside it, has this size and hides a word. */
static bool hides_in(LLVMTargetDataRef data, LLVMTypeRef type, uint64_t bytes) {
  if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
    return hides_in(data, LLVMGetElementType(type), bytes);
  if (LLVMGetTypeKind(type) != LLVMStructTypeKind || LLVMABISizeOfType(data, type) < bytes)
    return false;
  if (LLVMABISizeOfType(data, type) == bytes && hides_word(data, type))
    return true;
  for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
    if (hides_in(data, LLVMStructGetTypeAtIndex(type, i), bytes))
      return true;
  return false;
}

/* Nothing shows the type of an object that is copied as a whole. If the module uses a structure of
 * its size that hides a reference, the object is assumed to be one. */
static bool may_copy_hiding(LLVMTargetDataRef data, LLVMValueRef transfer) {
  LLVMValueRef length = LLVMGetOperand(transfer, LENGTH);
  if (LLVMIsAConstantInt(length) == NULL ||
      spgc_place_of(data, LLVMGetOperand(transfer, SOURCE)).type != NULL)
    return false;
  LLVMModuleRef module =
      LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(transfer)));
  IR_EACH_FUNCTION (function, module)
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block) {
        LLVMTypeRef type = LLVMIsAGetElementPtrInst(instruction)
                               ? LLVMGetGEPSourceElementType(instruction)
                           : LLVMIsAAllocaInst(instruction) ? LLVMGetAllocatedType(instruction)
                                                            : NULL;
        if (type != NULL && hides_in(data, type, LLVMConstIntGetZExtValue(length)))
          return true;
      }
  return false;
}

static bool loses_word(LLVMTargetDataRef data, LLVMValueRef transfer) {
  LLVMValueRef to = LLVMGetOperand(transfer, DESTINATION), from = LLVMGetOperand(transfer, SOURCE);
  LLVMValueRef length = LLVMGetOperand(transfer, LENGTH);
  bool is_known = LLVMIsAConstantInt(length) != NULL;
  uint64_t bytes = is_known ? LLVMConstIntGetZExtValue(length)
                            : spgc_storage_size(data, spgc_place_of(data, from));
  for (uint64_t offset = 0; offset + WORD <= bytes && offset < MOST_BYTES; offset += WORD)
    if (is_lost(storage_of(data, from, offset, MOST_STEPS),
                spgc_storage_at(data, spgc_place_of(data, to), offset)))
      return true;
  return spgc_ir_is_reference(from) && may_copy_hiding(data, transfer);
}

/* The local variable that gets a reference or bytes of an object, directly or from another such
 * variable; NULL if the instruction fills none. */
static LLVMValueRef filled_variable(const struct values *filled, LLVMValueRef instruction) {
  LLVMValueRef to = NULL;
  if (spgc_ir_is_transfer(instruction)) {
    LLVMValueRef from = LLVMGetOperand(instruction, SOURCE);
    LLVMValueRef variable = spgc_ir_is_reference(from) ? NULL : spgc_ir_underlying_alloca(from);
    if (spgc_ir_is_reference(from) || (variable != NULL && spgc_values_contain(filled, variable)))
      to = LLVMGetOperand(instruction, DESTINATION);
  } else if (LLVMIsAStoreInst(instruction) &&
             spgc_ir_is_reference(LLVMGetOperand(instruction, 0))) {
    to = LLVMGetOperand(instruction, 1);
  }
  return to == NULL || spgc_ir_is_reference(to) ? NULL : spgc_ir_underlying_alloca(to);
}

static void find_filled(LLVMValueRef function, struct values *filled) {
  for (bool changed = true; changed;) {
    changed = false;
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block) {
        LLVMValueRef variable = filled_variable(filled, instruction);
        if (variable == NULL || spgc_values_contain(filled, variable))
          continue;
        spgc_values_add(filled, variable);
        changed = true;
      }
  }
}

/* The address to which an instruction writes a possible reference in memory that does not show it;
 * NULL if it does not. */
static LLVMValueRef passes_out(LLVMTargetDataRef data, const struct values *filled,
                               LLVMValueRef instruction) {
  if (spgc_ir_is_transfer(instruction)) {
    LLVMValueRef to = LLVMGetOperand(instruction, DESTINATION),
                 from = LLVMGetOperand(instruction, SOURCE);
    bool source =
        spgc_ir_is_reference(from) || spgc_values_contain(filled, spgc_ir_underlying_object(from));
    return source && is_unowned(to) && loses_word(data, instruction) ? to : NULL;
  }
  if (!LLVMIsAStoreInst(instruction) || !spgc_ir_is_reference(LLVMGetOperand(instruction, 0)) ||
      spgc_ir_is_never_an_object(LLVMGetOperand(instruction, 0)))
    return NULL;
  LLVMValueRef to = LLVMGetOperand(instruction, 1);
  return is_unowned(to) && spgc_storage_at(data, spgc_place_of(data, to), 0) == STORAGE_HIDDEN
             ? to
             : NULL;
}

static void add_note(LLVMModuleRef module, LLVMValueRef instruction, LLVMValueRef to) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef parameter = LLVMPointerTypeInContext(context, 0);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), &parameter, 1, false);
  LLVMValueRef note = spgc_note_function(module, note_name, type);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(instruction));
  LLVMBuildCall2(builder, type, note, &to, 1, "");
  LLVMDisposeBuilder(builder);
}

enum spgc_result spgc_note_unowned(struct lowering *lowering, struct spgc_error *error) {
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(lowering->module);
  IR_EACH_FUNCTION (function, lowering->module) {
    struct values filled = {0};
    find_filled(function, &filled);
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block) {
        LLVMValueRef to = passes_out(data, &filled, instruction);
        if (to != NULL)
          add_note(lowering->module, instruction, to);
      }
    spgc_values_free(&filled);
  }
  return SPGC_OK;
}

/* The message is about the instruction that was noted, or the one that promotion made of it. */
static enum spgc_result judge(LLVMValueRef note, struct spgc_error *error) {
  LLVMValueRef noted = LLVMGetPreviousInstruction(note);
  if (is_unowned(LLVMGetOperand(note, 0)) &&
      spgc_reject_instruction(noted != NULL ? noted : note, &passed_out, error) != SPGC_OK)
    return SPGC_ERROR_REJECTED;
  LLVMInstructionEraseFromParent(note);
  return SPGC_OK;
}

/* A variable that was noted is promoted by now. */
enum spgc_result spgc_check_unowned(struct lowering *lowering, struct spgc_error *error) {
  spgc_note_unowned(lowering, error);
  LLVMValueRef function = LLVMGetNamedFunction(lowering->module, note_name);
  if (function == NULL)
    return SPGC_OK;
  for (LLVMUseRef use; (use = LLVMGetFirstUse(function)) != NULL;) {
    enum spgc_result result = judge(LLVMGetUser(use), error);
    if (result != SPGC_OK)
      return result;
  }
  LLVMDeleteFunction(function);
  spgc_run_passes(lowering, "function(sroa)");
  return SPGC_OK;
}
