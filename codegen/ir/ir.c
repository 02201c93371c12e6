#include "codegen/ir/ir.h"

#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "spgc/thread.h"

static LLVMValueRef first_from(LLVMBasicBlockRef block) {
  while (block != NULL && LLVMGetFirstInstruction(block) == NULL)
    block = LLVMGetNextBasicBlock(block);
  return block != NULL ? LLVMGetFirstInstruction(block) : NULL;
}

LLVMValueRef spgc_ir_first_instruction(LLVMValueRef function) {
  return first_from(LLVMGetFirstBasicBlock(function));
}

LLVMValueRef spgc_ir_next_instruction(LLVMValueRef instruction) {
  LLVMValueRef next = LLVMGetNextInstruction(instruction);
  return next != NULL ? next
                      : first_from(LLVMGetNextBasicBlock(LLVMGetInstructionParent(instruction)));
}

LLVMBuilderRef spgc_ir_builder_before(LLVMValueRef instruction) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(instruction)));
  LLVMPositionBuilderBefore(builder, instruction);
  return builder;
}

void spgc_ir_position_after(LLVMBuilderRef builder, LLVMValueRef instruction) {
  LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(instruction));
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(instruction));
}

void spgc_ir_replace(LLVMValueRef instruction, LLVMValueRef by) {
  LLVMReplaceAllUsesWith(instruction, by);
  LLVMInstructionEraseFromParent(instruction);
}

LLVMValueRef spgc_ir_word(LLVMContextRef context, uint64_t value) {
  return LLVMConstInt(LLVMInt64TypeInContext(context), value, false);
}

LLVMValueRef spgc_ir_build_offset(LLVMBuilderRef builder, LLVMValueRef pointer, uint64_t bytes) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(pointer));
  LLVMValueRef index = spgc_ir_word(context, bytes);
  return bytes == 0 ? pointer
                    : LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(context), pointer,
                                            &index, 1, "");
}

static unsigned mark_kind(LLVMValueRef instruction, const char *kind) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(instruction));
  return LLVMGetMDKindIDInContext(context, kind, (unsigned)strlen(kind));
}

void spgc_ir_mark(LLVMValueRef instruction, const char *kind) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(instruction));
  LLVMMetadataRef nothing = LLVMMDNodeInContext2(context, NULL, 0);
  LLVMSetMetadata(instruction, mark_kind(instruction, kind), LLVMMetadataAsValue(context, nothing));
}

void spgc_ir_unmark(LLVMValueRef instruction, const char *kind) {
  if (LLVMHasMetadata(instruction))
    LLVMSetMetadata(instruction, mark_kind(instruction, kind), NULL);
}

bool spgc_ir_is_marked(LLVMValueRef instruction, const char *kind) {
  return LLVMGetMetadata(instruction, mark_kind(instruction, kind)) != NULL;
}

bool spgc_ir_type_is_reference(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
         LLVMGetPointerAddressSpace(type) == IR_REFERENCE_ADDRESS_SPACE;
}

static bool is_vector(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMVectorTypeKind || kind == LLVMScalableVectorTypeKind;
}

bool spgc_ir_type_is_reference_vector(LLVMTypeRef type) {
  return is_vector(type) && spgc_ir_type_is_reference(LLVMGetElementType(type));
}

bool spgc_ir_type_contains_reference(LLVMTypeRef type) {
  if (spgc_ir_type_is_reference(type) || spgc_ir_type_is_reference_vector(type))
    return true;
  if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
    return spgc_ir_type_contains_reference(LLVMGetElementType(type));
  if (LLVMGetTypeKind(type) != LLVMStructTypeKind || LLVMIsOpaqueStruct(type))
    return false;
  for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
    if (spgc_ir_type_contains_reference(LLVMStructGetTypeAtIndex(type, i)))
      return true;
  return false;
}

bool spgc_ir_type_is_scalable(LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) == LLVMArrayTypeKind)
    return spgc_ir_type_is_scalable(LLVMGetElementType(type));
  if (LLVMGetTypeKind(type) != LLVMStructTypeKind || LLVMIsOpaqueStruct(type))
    return LLVMGetTypeKind(type) == LLVMScalableVectorTypeKind;
  for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
    if (spgc_ir_type_is_scalable(LLVMStructGetTypeAtIndex(type, i)))
      return true;
  return false;
}

bool spgc_ir_type_is_aggregate_of_references(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return (kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind) &&
         spgc_ir_type_contains_reference(type);
}

bool spgc_ir_is_reference(LLVMValueRef value) {
  return spgc_ir_type_is_reference(LLVMTypeOf(value));
}

bool spgc_ir_is_any_reference(LLVMValueRef value) {
  return spgc_ir_is_reference(value) || spgc_ir_type_is_reference_vector(LLVMTypeOf(value));
}

bool spgc_ir_is_local(LLVMValueRef global) {
  LLVMLinkage linkage = LLVMGetLinkage(global);
  return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

bool spgc_ir_is_definitive(LLVMValueRef global) {
  if (LLVMIsDeclaration(global))
    return false;
  switch (LLVMGetLinkage(global)) {
  case LLVMExternalLinkage:
  case LLVMInternalLinkage:
  case LLVMPrivateLinkage:
  case LLVMLinkOnceODRLinkage:
  case LLVMWeakODRLinkage:
  case LLVMAvailableExternallyLinkage: return true;
  default: return false;
  }
}

bool spgc_ir_function_is_managed(LLVMValueRef function) {
  return LLVMGetGC(function) != NULL;
}

bool spgc_ir_module_is_managed(LLVMModuleRef module) {
  IR_EACH_FUNCTION (function, module)
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function))
      return true;
  return false;
}

unsigned spgc_ir_attribute_kind(const char *name) {
  return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

LLVMAttributeRef spgc_ir_attribute_at(LLVMValueRef value, LLVMAttributeIndex index,
                                      const char *name) {
  bool is_function = LLVMIsAFunction(value) != NULL;
  unsigned count = is_function ? LLVMGetAttributeCountAtIndex(value, index)
                               : LLVMGetCallSiteAttributeCount(value, index);
  unsigned kind = count != 0 ? spgc_ir_attribute_kind(name) : 0; /* a search of a long list */
  return count == 0    ? NULL
         : is_function ? LLVMGetEnumAttributeAtIndex(value, index, kind)
                       : LLVMGetCallSiteEnumAttribute(value, index, kind);
}

static void add_attribute(LLVMValueRef value, LLVMAttributeIndex index, LLVMAttributeRef added) {
  if (LLVMIsAFunction(value))
    LLVMAddAttributeAtIndex(value, index, added);
  else
    LLVMAddCallSiteAttribute(value, index, added);
}

void spgc_ir_set_attribute(LLVMValueRef value, LLVMAttributeIndex index, const char *name,
                           uint64_t number) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(value));
  add_attribute(value, index,
                LLVMCreateEnumAttribute(context, spgc_ir_attribute_kind(name), number));
}

bool spgc_ir_has_attribute(LLVMValueRef value, const char *name) {
  return spgc_ir_attribute_at(value, IR_ON_FUNCTION, name) != NULL;
}

void spgc_ir_add_attribute(LLVMValueRef value, const char *name) {
  spgc_ir_set_attribute(value, IR_ON_FUNCTION, name, 0);
}

void spgc_ir_remove_attribute(LLVMValueRef value, const char *name) {
  if (LLVMIsAFunction(value))
    LLVMRemoveEnumAttributeAtIndex(value, IR_ON_FUNCTION, spgc_ir_attribute_kind(name));
  else
    LLVMRemoveCallSiteEnumAttribute(value, IR_ON_FUNCTION, spgc_ir_attribute_kind(name));
}

void spgc_ir_add_string(LLVMValueRef value, const char *name) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(value));
  add_attribute(value, IR_ON_FUNCTION,
                LLVMCreateStringAttribute(context, name, (unsigned)strlen(name), "", 0));
}

void spgc_ir_remove_string(LLVMValueRef function, const char *name) {
  LLVMRemoveStringAttributeAtIndex(function, IR_ON_FUNCTION, name, (unsigned)strlen(name));
}

LLVMAttributeRef spgc_ir_string(LLVMValueRef value, const char *name) {
  unsigned length = (unsigned)strlen(name);
  return LLVMIsAFunction(value)
             ? LLVMGetStringAttributeAtIndex(value, IR_ON_FUNCTION, name, length)
             : LLVMGetCallSiteStringAttribute(value, IR_ON_FUNCTION, name, length);
}

unsigned spgc_ir_parameter_count(LLVMValueRef value) {
  return LLVMIsAFunction(value) ? LLVMCountParams(value) : LLVMGetNumArgOperands(value);
}

LLVMValueRef spgc_ir_parameter(LLVMValueRef value, unsigned i) {
  return LLVMIsAFunction(value) ? LLVMGetParam(value, i) : LLVMGetArgOperand(value, i);
}

/* They have the type of the memory that a pointer points to. */
static const char *const memory_kinds[] = {"byval",        "sret",  "inalloca",
                                           "preallocated", "byref", "elementtype"};

LLVMTypeRef spgc_ir_memory_type(LLVMValueRef value, unsigned parameter) {
  for (size_t i = 0; i < sizeof memory_kinds / sizeof *memory_kinds; i++) {
    LLVMAttributeRef attribute = spgc_ir_attribute_at(value, parameter + 1, memory_kinds[i]);
    if (attribute != NULL && LLVMIsTypeAttribute(attribute))
      return LLVMGetTypeAttributeValue(attribute);
  }
  return NULL;
}

static LLVMTypeRef memory_of_parameter(LLVMValueRef value, unsigned parameter) {
  LLVMTypeRef type = spgc_ir_memory_type(value, parameter);
  return type != NULL && spgc_ir_type_contains_reference(type) ? type : NULL;
}

LLVMTypeRef spgc_ir_memory_of_argument(LLVMValueRef call, unsigned argument) {
  LLVMValueRef callee = spgc_ir_callee(call);
  LLVMTypeRef type = memory_of_parameter(call, argument);
  bool named = type == NULL && callee != NULL && argument < LLVMCountParams(callee);
  return named ? memory_of_parameter(callee, argument) : type;
}

static bool call_uses_references(LLVMValueRef call) {
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    if (spgc_ir_memory_of_argument(call, i) != NULL)
      return true;
  return false;
}

static bool instruction_uses_references(LLVMValueRef instruction) {
  if (spgc_ir_type_contains_reference(LLVMTypeOf(instruction)))
    return true;
  if (LLVMIsAAllocaInst(instruction))
    return spgc_ir_type_contains_reference(LLVMGetAllocatedType(instruction));
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (spgc_ir_type_contains_reference(LLVMTypeOf(LLVMGetOperand(instruction, (unsigned)i))))
      return true;
  return spgc_ir_is_call(instruction) && call_uses_references(instruction);
}

bool spgc_ir_function_uses_references(LLVMValueRef function) {
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  if (spgc_ir_type_contains_reference(LLVMGetReturnType(type)))
    return true;
  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    if (spgc_ir_type_contains_reference(LLVMTypeOf(LLVMGetParam(function, i))) ||
        memory_of_parameter(function, i) != NULL)
      return true;
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (instruction_uses_references(instruction))
      return true;
  return false;
}

bool spgc_ir_function_vanishes(LLVMValueRef function) {
  return !LLVMIsDeclaration(function) && spgc_ir_is_local(function) &&
         spgc_ir_has_attribute(function, "alwaysinline");
}

bool spgc_ir_function_may_be_copied(LLVMValueRef function) {
  /* LLVM's always-inline erases such a function once it has no calls left. */
  static const char *const refusals[] = {"alwaysinline", "noinline",      "optnone", "naked",
                                         "optsize",      "returns_twice", "minsize"};
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
    if (spgc_ir_has_attribute(function, refusals[i]))
      return false;
  /* The linker may replace functions with other linkages. */
  return (LLVMGetLinkage(function) == LLVMExternalLinkage || spgc_ir_is_local(function)) &&
         !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function));
}

bool spgc_ir_text_is(const char *text, size_t length, const char *wanted) {
  return length != 0 && *text == *wanted && length == strlen(wanted) &&
         memcmp(text, wanted, length) == 0;
}

bool spgc_ir_name_starts_with(LLVMValueRef value, const char *prefix) {
  size_t length;
  const char *name = LLVMGetValueName2(value, &length);
  return length >= strlen(prefix) && memcmp(name, prefix, strlen(prefix)) == 0;
}

bool spgc_ir_name_starts_with_any(LLVMValueRef value, const char *const *prefixes, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (spgc_ir_name_starts_with(value, prefixes[i]))
      return true;
  return false;
}

bool spgc_ir_name_is(LLVMValueRef value, const char *name) {
  return spgc_ir_name_is_among(value, &name, 1);
}

bool spgc_ir_name_is_among(LLVMValueRef value, const char *const *names, size_t count) {
  size_t length;
  const char *name = LLVMGetValueName2(value, &length);
  for (size_t i = 0; i < count; i++)
    if (spgc_ir_text_is(name, length, names[i]))
      return true;
  return false;
}

LLVMValueRef spgc_ir_first_after_allocas(LLVMValueRef function) {
  LLVMValueRef instruction = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
  while (LLVMIsAAllocaInst(instruction))
    instruction = LLVMGetNextInstruction(instruction);
  return instruction;
}

LLVMValueRef spgc_ir_function_of(LLVMValueRef instruction) {
  return LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
}

LLVMModuleRef spgc_ir_module_of(LLVMValueRef instruction) {
  return LLVMGetGlobalParent(spgc_ir_function_of(instruction));
}

bool spgc_ir_is_ordered_compare(LLVMValueRef instruction) {
  return LLVMIsAICmpInst(instruction) != NULL && LLVMGetICmpPredicate(instruction) != LLVMIntEQ &&
         LLVMGetICmpPredicate(instruction) != LLVMIntNE;
}

bool spgc_ir_is_cast_of_reference(LLVMValueRef value) {
  return LLVMIsAPtrToIntInst(value) != NULL && spgc_ir_is_reference(LLVMGetOperand(value, 0));
}

LLVMValueRef spgc_ir_address_accessed(LLVMValueRef instruction) {
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMLoad:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg: return LLVMGetOperand(instruction, 0);
  case LLVMStore: return LLVMGetOperand(instruction, 1);
  default: return NULL;
  }
}

struct write spgc_write_of(LLVMValueRef instruction) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
  if (opcode == LLVMStore ||
      (opcode == LLVMCall && (spgc_ir_is_intrinsic(instruction, "llvm.masked.store.") ||
                              spgc_ir_is_intrinsic(instruction, "llvm.masked.compressstore."))))
    return (struct write){LLVMGetOperand(instruction, 1), LLVMGetOperand(instruction, 0)};
  if (opcode == LLVMAtomicRMW || opcode == LLVMAtomicCmpXchg)
    return (struct write){LLVMGetOperand(instruction, 0),
                          LLVMGetOperand(instruction, opcode == LLVMAtomicRMW ? 1 : 2)};
  return (struct write){0};
}

static LLVMValueRef pointer_operand(LLVMValueRef value) {
  bool is_expression = LLVMIsAConstantExpr(value) != NULL;
  if (!is_expression && LLVMIsAInstruction(value) == NULL)
    return NULL;
  switch (is_expression ? LLVMGetConstOpcode(value) : LLVMGetInstructionOpcode(value)) {
  case LLVMGetElementPtr:
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
  case LLVMFreeze: return LLVMGetOperand(value, 0);
  case LLVMCall: return spgc_ir_is_annotation(value) ? LLVMGetArgOperand(value, 0) : NULL;
  default: return NULL;
  }
}

/* In an unreachable block, which the first checks still see, a pointer may be computed from itself.
 * The search ends at a mark met before, which moves after 1, 3, 7, 15 steps, and so on. */
LLVMValueRef spgc_ir_underlying_object(LLVMValueRef pointer) {
  LLVMValueRef mark = NULL;
  unsigned steps = 0, next_mark = 1;
  for (LLVMValueRef next; (next = pointer_operand(pointer)) != NULL && next != mark;) {
    if (steps++ == next_mark) {
      mark = pointer;
      next_mark += steps;
    }
    pointer = next;
  }
  return pointer;
}

bool spgc_ir_points_to_constant(LLVMValueRef pointer) {
  LLVMValueRef object = spgc_ir_underlying_object(pointer);
  return LLVMIsAGlobalVariable(object) != NULL && LLVMIsGlobalConstant(object);
}

/* The prelude for the JIT computes such addresses if no address space is relative to the thread
 * pointer. */
static bool is_behind_thread_pointer(LLVMValueRef address, LLVMValueRef pointer) {
  if (!spgc_ir_is_intrinsic(pointer, "llvm.thread.pointer") ||
      LLVMIsAGetElementPtrInst(address) == NULL || LLVMGetNumOperands(address) != 2 ||
      LLVMIsAConstantInt(LLVMGetOperand(address, 1)) == NULL)
    return false;
  long long offset = LLVMConstIntGetSExtValue(LLVMGetOperand(address, 1)) - spgc_thread_offset();
  return offset >= 0 && offset < (long long)sizeof(struct spgc_thread);
}

bool spgc_ir_is_thread_word(LLVMValueRef address) {
  unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(address));
  if (space != 0)
    return space != IR_REFERENCE_ADDRESS_SPACE && LLVMIsAConstantExpr(address) != NULL;
  LLVMValueRef object = spgc_ir_underlying_object(address);
  if (LLVMIsAInstruction(object) == NULL)
    return false;
  return is_behind_thread_pointer(address, object) ||
         (spgc_ir_is_intrinsic(object, "llvm.threadlocal.address") &&
          spgc_ir_name_is(LLVMGetOperand(object, 0), "spgc_thread"));
}
