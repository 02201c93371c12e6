/* Rules for references in memory whose type does not show them: in global variables, where they
 * would not be roots, and in local variables and by-value structures, where they would cross
 * safepoints as numbers. */
#include "codegen/check/check.h"

#include <string.h>

#include "codegen/ir/access_type.h"
#include "codegen/ir/hidden.h"
#include "codegen/ir/hidden_locals.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/storage.h"
#include "codegen/ir/values.h"
#include "codegen/ir/write.h"

enum { DESTINATION, SOURCE, LENGTH };

static const struct objection hidden_in_global = {
    22, "a reference is stored in a global variable whose type does not show it, so it is no root",
    "declare the word as a reference (in a union, as the first member), or keep it in an object or "
    "a handle"};
static const struct objection copied_to_global = {
    22,
    "a word copied into a global variable is a reference or may be one, and the variable's "
    "type does not show it, so it is no root",
    "declare the word as a reference (in a union, as the first member), or copy the fields one by "
    "one"};
static const struct objection passed_by_value = {
    20,
    "a structure with a union is passed or returned by value, so a reference in the union would be "
    "a number",
    "make the reference the first member of the union, and let no member be wider than 8 bytes; or "
    "pass the fields one by one"};
static const struct objection stale_copy = {
    18,
    "a local copy of a part of an object is used after a safepoint or passed by address, and its "
    "type does not show the references that it may hold",
    "declare the words as references (in a union, as the first member), copy the fields one by "
    "one, or copy again"};

static const struct objection partial_store = {
    21,
    "a number is stored in a part of a word that is declared as a reference, and leaves half an "
    "address there",
    "make members that share a word with a reference 8 bytes wide"};

static const struct objection half_address = {
    9,
    "a part of an object's address is stored in an object, and the collector takes parts for "
    "numbers",
    "store the reference as it is, or the whole address in a word of 8 bytes"};

static const struct objection optimised_before = {
    10,
    "a pointer in an object is read or written as a number, perhaps by an optimiser that does not "
    "know references",
    "run no optimiser before the lowering (clang: -Xclang -disable-llvm-passes)"};

static LLVMTargetDataRef data_of(LLVMValueRef instruction) {
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
  return LLVMGetModuleDataLayout(LLVMGetGlobalParent(function));
}

/* True if each reference in a value of the type is one in the place's type, too. */
static bool shows_references(LLVMTargetDataRef data, struct place place, LLVMTypeRef type) {
  uint64_t bytes = LLVMStoreSizeOfType(data, type);
  for (uint64_t offset = 0; offset < bytes; offset += sizeof(uint64_t))
    if (spgc_storage_at(data, (struct place){type, 0}, offset) == STORAGE_REFERENCE &&
        spgc_storage_at(data, place, offset) != STORAGE_REFERENCE)
      return false;
  return true;
}

static const struct objection *no_hidden_store(LLVMValueRef instruction) {
  struct write write = spgc_write_of(instruction);
  if (write.address == NULL || spgc_ir_is_reference(write.address) ||
      !spgc_ir_type_contains_reference(LLVMTypeOf(write.value)) ||
      spgc_ir_is_never_an_object(write.value) || spgc_ir_is_thread_word(write.address))
    return NULL;
  LLVMTargetDataRef data = data_of(instruction);
  struct places places;
  spgc_places_of(data, write.address, &places);
  for (unsigned i = 0; i < places.count; i++)
    if (LLVMIsAGlobalVariable(places.at[i].variable) != NULL &&
        (!places.are_all || !shows_references(data, places.at[i].place, LLVMTypeOf(write.value))))
      return &hidden_in_global;
  return NULL;
}

/* The collector would read half an address as a reference. */
static const struct objection *no_partial_store(LLVMValueRef instruction) {
  struct write write = spgc_write_of(instruction);
  if (write.address == NULL || spgc_ir_type_contains_reference(LLVMTypeOf(write.value)))
    return NULL;
  LLVMTargetDataRef data = data_of(instruction);
  if (LLVMStoreSizeOfType(data, LLVMTypeOf(write.value)) >= sizeof(uint64_t))
    return NULL;
  struct place place = spgc_place_of(data, write.address);
  return spgc_storage_at(data, place, 0) == STORAGE_REFERENCE ? &partial_store : NULL;
}

enum { MOST_STEPS = 8 };

/* True if the integer is an object's address. */
static bool is_address(LLVMValueRef value, unsigned steps) {
  bool choice = LLVMIsAPHINode(value) != NULL || LLVMIsASelectInst(value) != NULL ||
                LLVMIsAFreezeInst(value) != NULL;
  bool read = spgc_ir_is_call(value) && spgc_ir_callee(value) != NULL &&
              spgc_ir_name_starts_with(spgc_ir_callee(value), PRELUDE_PREFIX);
  if (LLVMIsAPtrToIntInst(value) || read) /* made by spgc_show_shared_words */
    return spgc_ir_is_reference(LLVMGetOperand(value, 0));
  for (unsigned i = 0; choice && steps > 0 && i < (unsigned)LLVMGetNumOperands(value); i++)
    if (is_address(LLVMGetOperand(value, i), steps - 1))
      return true;
  return false;
}

static bool is_shift_right(LLVMValueRef value) {
  return LLVMIsAInstruction(value) != NULL && (LLVMGetInstructionOpcode(value) == LLVMLShr ||
                                               LLVMGetInstructionOpcode(value) == LLVMAShr);
}

/* True for a part of an address above the lowest part. The lowest part alone may be a number to
 * sort or to hash by, and is no address without the others. */
static bool is_upper_part(LLVMValueRef value) {
  LLVMValueRef shift = LLVMIsATruncInst(value) != NULL ? LLVMGetOperand(value, 0) : value;
  if (shift == value || !is_shift_right(shift) ||
      LLVMIsAConstantInt(LLVMGetOperand(shift, 1)) == NULL)
    return false;
  unsigned long long distance = LLVMConstIntGetZExtValue(LLVMGetOperand(shift, 1));
  unsigned width = LLVMGetIntTypeWidth(LLVMTypeOf(value));
  return distance != 0 && distance % width == 0 && is_address(LLVMGetOperand(shift, 0), MOST_STEPS);
}

static const struct objection *no_half_address(LLVMValueRef instruction) {
  struct write write = spgc_write_of(instruction);
  bool part = write.address != NULL && spgc_ir_is_reference(write.address) &&
              LLVMGetTypeKind(LLVMTypeOf(write.value)) == LLVMIntegerTypeKind &&
              is_upper_part(write.value);
  return part ? &half_address : NULL;
}

/* True if the word may be a reference at the source, and is not declared as one at the destination.
 * If the source's type shows nothing, bytes of variable length are assumed to be text. */
static bool loses_word(enum storage source, enum storage destination, bool length_is_known) {
  if (destination == STORAGE_REFERENCE)
    return false;
  if (source == STORAGE_UNKNOWN)
    return length_is_known && (destination == STORAGE_HIDDEN || destination == STORAGE_BYTES);
  return source == STORAGE_REFERENCE || source == STORAGE_HIDDEN;
}

enum { MOST_BYTES = 1 << 20 }; /* checked one by one */

static bool has_reference_access(LLVMTargetDataRef data, LLVMValueRef pointer, struct place place,
                                 uint64_t offset);

static bool user_accesses(LLVMTargetDataRef data, LLVMValueRef user, LLVMValueRef pointer,
                          struct place place, uint64_t offset) {
  if (LLVMIsAGetElementPtrInst(user))
    return has_reference_access(data, user, place, offset);
  LLVMValueRef value = LLVMIsALoadInst(user) ? user : NULL;
  if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 1) == pointer)
    value = LLVMGetOperand(user, 0);
  if (value == NULL || !spgc_ir_is_reference(value))
    return false;
  struct place own = spgc_place_of(data, pointer);
  return own.type == place.type && own.offset == place.offset + offset;
}

/* The program itself reads or writes a reference at the place in a local variable, so promotion
 * gives the word that type. */
static bool has_reference_access(LLVMTargetDataRef data, LLVMValueRef pointer, struct place place,
                                 uint64_t offset) {
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use != NULL; use = LLVMGetNextUse(use))
    if (user_accesses(data, LLVMGetUser(use), pointer, place, offset))
      return true;
  return false;
}

/* The copy leaves a possible reference in a word whose type does not show it. The source is an
 * object, or a variable that hides words of one whatever its type shows. */
static bool loses_references(LLVMValueRef transfer, bool from_hiding) {
  LLVMTargetDataRef data = data_of(transfer);
  LLVMValueRef to = LLVMGetOperand(transfer, DESTINATION), from = LLVMGetOperand(transfer, SOURCE);
  LLVMValueRef length = LLVMGetOperand(transfer, LENGTH), variable = spgc_ir_underlying_alloca(to);
  struct place destination = spgc_place_of(data, to), source = spgc_place_of(data, from);
  bool is_known = LLVMIsAConstantInt(length) != NULL;
  uint64_t bytes = is_known ? LLVMConstIntGetZExtValue(length) : spgc_storage_size(data, source);
  for (uint64_t offset = 0; offset + sizeof(uint64_t) <= bytes && offset < MOST_BYTES;
       offset += sizeof(uint64_t))
    if ((loses_word(spgc_storage_at(data, source, offset),
                    spgc_storage_at(data, destination, offset), is_known) ||
         (from_hiding &&
          loses_word(STORAGE_UNKNOWN, spgc_storage_at(data, destination, offset), true))) &&
        (variable == NULL || !has_reference_access(data, variable, destination, offset)))
      return true;
  return false;
}

static bool leaves_object(LLVMValueRef instruction) {
  return spgc_ir_is_memory_transfer(instruction) &&
         spgc_ir_is_reference(LLVMGetOperand(instruction, SOURCE)) &&
         !spgc_ir_is_reference(LLVMGetOperand(instruction, DESTINATION));
}

/* The words that a copy reads: of an object, or of a variable that may hold references. A variable
 * hides none unless its words came from an object; check_local_copies follows those. */
struct source {
  struct place place;
  bool is_object;
};

static bool loses_in_global(LLVMValueRef transfer, struct source source, struct place to) {
  LLVMTargetDataRef data = data_of(transfer);
  LLVMValueRef length = LLVMGetOperand(transfer, LENGTH);
  bool is_known = LLVMIsAConstantInt(length) != NULL;
  uint64_t bytes =
      is_known ? LLVMConstIntGetZExtValue(length) : spgc_storage_size(data, source.place);
  for (uint64_t offset = 0; offset + sizeof(uint64_t) <= bytes && offset < MOST_BYTES;
       offset += sizeof(uint64_t)) {
    enum storage read = spgc_storage_at(data, source.place, offset),
                 written = spgc_storage_at(data, to, offset);
    if (source.is_object ? loses_word(read, written, is_known)
                         : read == STORAGE_REFERENCE && written != STORAGE_REFERENCE)
      return true;
  }
  return false;
}

static bool any_global_loses(LLVMValueRef transfer, struct source source,
                             const struct places *destinations) {
  for (unsigned i = 0; i < destinations->count; i++)
    if (LLVMIsAGlobalVariable(destinations->at[i].variable) != NULL &&
        (!destinations->are_all || loses_in_global(transfer, source, destinations->at[i].place)))
      return true;
  return false;
}

static const struct objection *no_hidden_copy(LLVMValueRef instruction) {
  if (!spgc_ir_is_memory_transfer(instruction) ||
      spgc_ir_is_reference(LLVMGetOperand(instruction, DESTINATION)))
    return NULL;
  LLVMTargetDataRef data = data_of(instruction);
  LLVMValueRef from = LLVMGetOperand(instruction, SOURCE);
  struct places destinations, sources;
  spgc_places_of(data, LLVMGetOperand(instruction, DESTINATION), &destinations);
  if (destinations.count == 0)
    return NULL;
  if (spgc_ir_is_reference(from)) {
    struct source object = {spgc_place_of(data, from), true};
    return any_global_loses(instruction, object, &destinations) ? &copied_to_global : NULL;
  }
  spgc_places_of(data, from, &sources);
  for (unsigned i = 0; i < sources.count; i++) {
    LLVMValueRef variable = sources.at[i].variable;
    bool constant = LLVMIsAGlobalVariable(variable) != NULL && LLVMIsGlobalConstant(variable);
    struct source source = {sources.at[i].place, false};
    if (!constant && any_global_loses(instruction, source, &destinations))
      return &copied_to_global;
  }
  return NULL;
}

/* clang reads a structure that it passes by value through an unnamed type made for this purpose, or
 * through the union's own type; it reads members through neither. */
static bool is_coerced(LLVMValueRef pointer) {
  if (!LLVMIsAGetElementPtrInst(pointer))
    return false;
  LLVMTypeRef type = LLVMGetGEPSourceElementType(pointer);
  return LLVMGetTypeKind(type) == LLVMStructTypeKind &&
         (LLVMGetStructName(type) == NULL || strncmp(LLVMGetStructName(type), "union.", 6) == 0);
}

static bool is_passed(LLVMValueRef value) {
  for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAReturnInst(user) || LLVMIsAInsertValueInst(user) ||
        (spgc_ir_is_call(user) && !spgc_ir_call_is_leaf(user)))
      return true;
  }
  return false;
}

static bool is_word(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMDoubleTypeKind ||
         (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64);
}

static bool hides_anything(LLVMTargetDataRef data, struct place place, uint64_t bytes) {
  for (uint64_t offset = 0; offset < bytes; offset += sizeof(uint64_t))
    if (spgc_storage_at(data, place, offset) == STORAGE_HIDDEN)
      return true;
  return false;
}

/* Refuses hidden references that are read to be passed on: a word through another type, or all
 * words as one value. */
static const struct objection *no_hidden_value(LLVMValueRef instruction) {
  if (!LLVMIsALoadInst(instruction) || !is_passed(instruction))
    return NULL;
  LLVMValueRef address = LLVMGetOperand(instruction, 0);
  LLVMTypeRef type = LLVMTypeOf(instruction);
  bool aggregate =
      LLVMGetTypeKind(type) == LLVMStructTypeKind || LLVMGetTypeKind(type) == LLVMArrayTypeKind;
  if (!aggregate && !(is_word(type) && is_coerced(address)))
    return NULL;
  LLVMTargetDataRef data = data_of(instruction);
  return hides_anything(data, spgc_place_of(data, address), LLVMABISizeOfType(data, type))
             ? &passed_by_value
             : NULL;
}

/* Refuses to store a parameter that is a structure's word where the word's type hides a
 * reference. */
static const struct objection *no_hidden_parameter(LLVMValueRef instruction) {
  if (!LLVMIsAStoreInst(instruction) || !is_word(LLVMTypeOf(LLVMGetOperand(instruction, 0))))
    return NULL;
  LLVMValueRef value = LLVMGetOperand(instruction, 0), address = LLVMGetOperand(instruction, 1);
  bool received = LLVMIsAArgument(value) != NULL || LLVMIsAExtractValueInst(value) != NULL ||
                  spgc_ir_is_call(value);
  if (!received || !is_coerced(address))
    return NULL;
  LLVMTargetDataRef data = data_of(instruction);
  return spgc_storage_at(data, spgc_place_of(data, address), 0) == STORAGE_HIDDEN ? &passed_by_value
                                                                                  : NULL;
}

/* Refuses loads and stores that an optimiser made out of a copy of references without knowing of
 * references: it may have carried the integer over a safepoint already. */
static const struct objection *no_pointer_as_number(LLVMValueRef instruction) {
  bool store = LLVMIsAStoreInst(instruction) != NULL;
  if (!store && !LLVMIsALoadInst(instruction))
    return NULL;
  LLVMTypeRef type = LLVMTypeOf(store ? LLVMGetOperand(instruction, 0) : instruction);
  bool number =
      LLVMGetTypeKind(type) == LLVMIntegerTypeKind || LLVMGetTypeKind(type) == LLVMDoubleTypeKind;
  return number && spgc_ir_is_reference(LLVMGetOperand(instruction, store ? 1 : 0)) &&
                 spgc_access_is_of_pointer(instruction)
             ? &optimised_before
             : NULL;
}

/* The variable that a transfer writes; the next function gives the one that it reads. NULL when it
 * is not a variable. */
static LLVMValueRef written_variable(LLVMValueRef transfer) {
  LLVMValueRef to = LLVMGetOperand(transfer, DESTINATION);
  return spgc_ir_is_reference(to) ? NULL : spgc_ir_underlying_alloca(to);
}

static LLVMValueRef read_variable(LLVMValueRef transfer) {
  LLVMValueRef from = LLVMGetOperand(transfer, SOURCE);
  return spgc_ir_is_reference(from) ? NULL : spgc_ir_underlying_alloca(from);
}

/* Copies between memory of one function, and the variables whose types hide words of objects that
 * were copied into them, from an object or from another such variable. */
struct local_copies {
  struct values transfers, hiding, kept;
};

static bool brings_hidden(const struct local_copies *copies, LLVMValueRef transfer) {
  LLVMValueRef to = written_variable(transfer), from = read_variable(transfer);
  if (to == NULL)
    return false;
  if (leaves_object(transfer))
    return loses_references(transfer, false);
  return from != NULL && from != to && spgc_values_contain(&copies->hiding, from) &&
         loses_references(transfer, true);
}

static void find_hiding(struct local_copies *copies) {
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 0; i < copies->transfers.count; i++) {
      LLVMValueRef transfer = copies->transfers.at[i], to = written_variable(transfer);
      if (to == NULL || spgc_values_contain(&copies->hiding, to) ||
          !brings_hidden(copies, transfer))
        continue;
      spgc_values_add(&copies->hiding, to);
      changed = true;
    }
  }
}

/* A copy that is used at once remains a copy of memory. */
static enum spgc_result check_local_copy(struct local_copies *copies, LLVMValueRef transfer,
                                         struct spgc_error *error) {
  LLVMValueRef variable = written_variable(transfer);
  if (!brings_hidden(copies, transfer) || !spgc_local_is_passed_on(transfer, variable))
    return SPGC_OK;
  LLVMValueRef use = spgc_local_stale_use(transfer, variable);
  if (use != NULL)
    return spgc_reject_variable(variable, use, &stale_copy, error);
  spgc_values_add(&copies->kept, variable);
  return SPGC_OK;
}

/* Promotion would turn their words into numbers. */
static void keep_in_memory(const struct local_copies *copies) {
  for (unsigned i = 0; i < copies->transfers.count; i++) {
    LLVMValueRef transfer = copies->transfers.at[i];
    LLVMValueRef to = written_variable(transfer), from = read_variable(transfer);
    if ((to != NULL && spgc_values_contain(&copies->kept, to)) ||
        (from != NULL && spgc_values_contain(&copies->kept, from)))
      spgc_hide_copy(transfer);
  }
}

/* All copies are checked before the first one is hidden. */
static enum spgc_result check_local_copies(LLVMValueRef function, struct spgc_error *error) {
  struct local_copies copies = {0};
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      if (spgc_ir_is_memory_transfer(instruction))
        spgc_values_add(&copies.transfers, instruction);
  find_hiding(&copies);
  enum spgc_result result = SPGC_OK;
  for (unsigned i = 0; i < copies.transfers.count && result == SPGC_OK; i++)
    result = check_local_copy(&copies, copies.transfers.at[i], error);
  if (result == SPGC_OK)
    keep_in_memory(&copies);
  spgc_values_free(&copies.transfers);
  spgc_values_free(&copies.hiding);
  spgc_values_free(&copies.kept);
  return result;
}

/* True for a structure in memory that is a parameter of a function or call (0: the first), and
 * whose union is not a root there. */
static bool hides_parameter(LLVMTargetDataRef data, LLVMValueRef value, unsigned parameter) {
  static const char *const kinds[] = {"byval", "sret"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    unsigned kind = LLVMGetEnumAttributeKindForName(kinds[i], strlen(kinds[i]));
    LLVMAttributeRef attribute = LLVMIsAFunction(value)
                                     ? LLVMGetEnumAttributeAtIndex(value, parameter + 1, kind)
                                     : LLVMGetCallSiteEnumAttribute(value, parameter + 1, kind);
    LLVMTypeRef type = attribute != NULL ? LLVMGetTypeAttributeValue(attribute) : NULL;
    if (type != NULL &&
        hides_anything(data, (struct place){type, 0}, LLVMABISizeOfType(data, type)))
      return true;
  }
  return false;
}

static const struct objection *no_hidden_argument(LLVMValueRef instruction) {
  if (!spgc_ir_is_call(instruction) || spgc_ir_call_is_leaf(instruction))
    return NULL;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(instruction); i++)
    if (hides_parameter(data_of(instruction), instruction, i))
      return &passed_by_value;
  return NULL;
}

static const struct objection *check_storage_of(LLVMValueRef instruction) {
  static check_rule *const rules[] = {no_hidden_store,      no_hidden_copy,   no_hidden_value,
                                      no_hidden_parameter,  no_partial_store, no_hidden_argument,
                                      no_pointer_as_number, no_half_address};
  return FIRST_OBJECTION(rules, instruction);
}

/* Leaves and functions without gc store into the same global variables. */
static enum spgc_result check_global_storage(LLVMValueRef function, struct spgc_error *error) {
  static check_rule *const rules[] = {no_hidden_store, no_hidden_copy};
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block) {
      const struct objection *objection = FIRST_OBJECTION(rules, instruction);
      if (objection != NULL && spgc_reject_instruction(instruction, objection, error) != SPGC_OK)
        return SPGC_ERROR_REJECTED;
    }
  return SPGC_OK;
}

static enum spgc_result check_function_storage(LLVMValueRef function, struct spgc_error *error) {
  LLVMTargetDataRef data = LLVMGetModuleDataLayout(LLVMGetGlobalParent(function));
  for (unsigned i = 0; i < LLVMCountParams(function) && !LLVMIsDeclaration(function); i++)
    if (hides_parameter(data, function, i) &&
        spgc_reject_global(function, &passed_by_value, error) != SPGC_OK)
      return SPGC_ERROR_REJECTED;
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block) {
      const struct objection *objection = check_storage_of(instruction);
      if (objection != NULL && spgc_reject_instruction(instruction, objection, error) != SPGC_OK)
        return SPGC_ERROR_REJECTED;
    }
  return check_local_copies(function, error);
}

enum spgc_result spgc_check_storage(struct lowering *lowering, struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  for (LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
       function != NULL && result == SPGC_OK; function = LLVMGetNextFunction(function))
    if (spgc_ir_function_is_managed(function))
      result = check_function_storage(function, error);
    else if (spgc_ir_function_uses_references(function))
      result = check_global_storage(function, error);
  return result;
}
