/* Rules for IR that only LLVM's code generator would refuse, by ending the process. */
#include "codegen/check/check.h"

#include <string.h>

#include <llvm-c/Target.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/processor.h"

static bool appending_is_known(LLVMValueRef variable) {
  static const char *const known[] = {"llvm.used", "llvm.compiler.used", "llvm.global_ctors",
                                      "llvm.global_dtors"};
  if (LLVMGetLinkage(variable) != LLVMAppendingLinkage || IR_NAME_IS_AMONG(variable, known))
    return true;
  const char *section = LLVMGetSection(variable);
  return section != NULL && strcmp(section, "llvm.metadata") == 0;
}

/* Entries are { i32, function or null, pointer }. */
static bool constructors_are_functions(LLVMValueRef variable) {
  if (!spgc_ir_name_is(variable, "llvm.global_ctors") &&
      !spgc_ir_name_is(variable, "llvm.global_dtors"))
    return true;
  LLVMValueRef entries = LLVMGetInitializer(variable);
  if (entries == NULL || LLVMGetTypeKind(LLVMTypeOf(entries)) != LLVMArrayTypeKind)
    return false;
  for (unsigned i = 0; i < LLVMGetArrayLength2(LLVMTypeOf(entries)); i++) {
    LLVMValueRef entry = LLVMGetAggregateElement(entries, i);
    bool is_structure = LLVMGetTypeKind(LLVMTypeOf(entry)) == LLVMStructTypeKind &&
                        LLVMCountStructElementTypes(LLVMTypeOf(entry)) >= 2;
    LLVMValueRef priority = is_structure ? LLVMGetAggregateElement(entry, 0) : NULL;
    LLVMValueRef function = is_structure ? LLVMGetAggregateElement(entry, 1) : NULL;
    if (priority == NULL || LLVMIsAConstantInt(priority) == NULL || function == NULL ||
        (LLVMIsAFunction(function) == NULL && !LLVMIsNull(function)))
      return false;
  }
  return true;
}

/* Linkers can only add and subtract. */
static bool has_relocation(LLVMValueRef expression) {
  switch (LLVMGetConstOpcode(expression)) {
  case LLVMAdd:
  case LLVMSub:
  case LLVMTrunc:
  case LLVMBitCast:
  case LLVMIntToPtr:
  case LLVMAddrSpaceCast:
  case LLVMGetElementPtr: return true;
  case LLVMPtrToInt: return LLVMGetIntTypeWidth(LLVMTypeOf(expression)) <= 64;
  default: return false;
  }
}

enum { DEEPEST = 64 };

/* Expressions nested more deeply are left to LLVM. */
static bool can_be_emitted(LLVMValueRef constant, unsigned depth) {
  if (LLVMIsAGlobalValue(constant) != NULL || LLVMIsABlockAddress(constant) != NULL ||
      depth == DEEPEST)
    return true;
  if (LLVMGetValueKind(constant) == LLVMConstantPtrAuthValueKind ||
      (LLVMIsAConstantExpr(constant) != NULL &&
       LLVMGetTypeKind(LLVMTypeOf(constant)) != LLVMVectorTypeKind && !has_relocation(constant)))
    return false;
  if (LLVMIsAConstantExpr(constant) == NULL && LLVMIsAConstantArray(constant) == NULL &&
      LLVMIsAConstantStruct(constant) == NULL && LLVMIsAConstantVector(constant) == NULL)
    return true;
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(constant); i++)
    if (!can_be_emitted(LLVMGetOperand(constant, i), depth + 1))
      return false;
  return true;
}

static bool initialiser_can_be_emitted(LLVMValueRef variable) {
  LLVMValueRef initialiser = LLVMGetInitializer(variable);
  return initialiser == NULL || can_be_emitted(initialiser, 0);
}

static const struct rule emission_of_variable_rules[] = {
    RULE(appending_is_known, 47, "LLVM does not know an appending variable of this name",
         "give it another linkage"),
    RULE(constructors_are_functions, 47, "an entry is not a function",
         "list functions, each with a priority"),
    RULE(initialiser_can_be_emitted, 47, "linkers cannot compute an expression of its initialiser",
         "compute it in a constructor"),
};

const struct objection *spgc_check_emission_of_variable(LLVMValueRef variable) {
  return FIRST_OBJECTION(emission_of_variable_rules, variable);
}

/* Empty if the function has no such attribute. */
static const char *value_of(LLVMValueRef function, const char *name) {
  LLVMAttributeRef attribute = spgc_ir_function_string(function, name);
  unsigned length;
  return attribute != NULL ? LLVMGetStringAttributeValue(attribute, &length) : "";
}

static bool compiles_for_known_processor(LLVMValueRef function) {
  const char *name = value_of(function, "target-cpu");
  const struct processor *processor = spgc_processor_of_module(LLVMGetGlobalParent(function));
  return *name == '\0' || spgc_processor_has_cpu(processor, name);
}

static bool list_contains(const char *list, const char *item) {
  size_t length = strlen(item);
  for (const char *at = list; (at = strstr(at, item)) != NULL; at += length)
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
      return true;
  return false;
}

static bool code_has_64_bits(LLVMValueRef function) {
  const char *features = value_of(function, "target-features");
  return !list_contains(features, "-64bit") && !list_contains(features, "-64bit-mode") &&
         !list_contains(features, "+32bit-mode") && !list_contains(features, "+16bit-mode");
}

static bool split_stacks_have_fixed_arguments(LLVMValueRef function) {
  bool splits = spgc_ir_function_string(function, "split-stack") != NULL;
  return !splits || !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function));
}

enum { X86_INTERRUPT = 83 };

static bool interrupts_take_a_frame(LLVMValueRef function) {
  if (LLVMGetFunctionCallConv(function) != X86_INTERRUPT || LLVMIsDeclaration(function))
    return true;
  unsigned count = LLVMCountParams(function);
  bool good = count == 1 || count == 2;
  if (count == 2) {
    LLVMTypeRef code = LLVMTypeOf(LLVMGetParam(function, 1));
    good = LLVMGetTypeKind(code) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(code) == 64;
  }
  return good;
}

static const struct rule emission_of_function_rules[] = {
    RULE(compiles_for_known_processor, 47, "its \"target-cpu\" is no processor of the target",
         "give one by LLVM's name, or remove the attribute"),
    RULE(code_has_64_bits, 47, "its \"target-features\" ask for code that is not of 64 bits",
         "remove -64bit, +32bit-mode and +16bit-mode"),
    RULE(split_stacks_have_fixed_arguments, 47,
         "LLVM cannot split the stack of a function with variable arguments",
         "remove \"split-stack\""),
    RULE(interrupts_take_a_frame, 47,
         "an x86_intrcc function takes a frame, and may take an error code",
         "declare it with (ptr byval), or (ptr byval, i64)"),
    RULE(spgc_section_prefix_is_formed, 47, "its !section_prefix is not a pair of strings",
         "write !{!\"function_section_prefix\", !\"hot\"}, or remove it"),
};

const struct objection *spgc_check_emission_of_function(LLVMValueRef function) {
  return FIRST_OBJECTION(emission_of_function_rules, function);
}

static bool interrupts_are_not_called(LLVMValueRef call) {
  return LLVMGetInstructionCallConv(call) != X86_INTERRUPT;
}

static bool pointers_have_no_keys(LLVMValueRef call) {
  return !spgc_ir_call_has_bundle(call, "ptrauth");
}

static bool statepoints_need_no_thunks(LLVMValueRef call) {
  if (spgc_ir_callee(call) != NULL || LLVMIsAInlineAsm(LLVMGetCalledValue(call)) ||
      spgc_ir_call_is_leaf(call))
    return true;
  LLVMValueRef function = spgc_ir_function_of(call);
  const char *features = value_of(function, "target-features");
  bool thunk = list_contains(features, "+retpoline") ||
               list_contains(features, "+retpoline-indirect-calls") ||
               list_contains(features, "+lvi-cfi");
  return !thunk || !spgc_ir_function_is_managed(function);
}

/* LLVM only accepts registers by name that it does not allocate. */
static bool is_known_register(LLVMValueRef name, LLVMTypeRef type, LLVMValueRef function) {
  const struct named_register *registers =
      spgc_processor_of_module(LLVMGetGlobalParent(function))->registers;
  unsigned length = 0;
  if (name == NULL || LLVMIsAMDString(name) == NULL || LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
    return false;
  const char *text = LLVMGetMDString(name, &length);
  for (unsigned i = 0; i < NAMED_REGISTERS_MOST && registers[i].name != NULL; i++)
    if (spgc_ir_text_is(text, length, registers[i].name))
      return LLVMGetIntTypeWidth(type) == registers[i].bits &&
             (!registers[i].needs_frame_pointer ||
              strcmp(value_of(function, "frame-pointer"), "all") == 0);
  return false;
}

static bool registers_are_known(LLVMValueRef call) {
  if (!spgc_ir_is_intrinsic(call, "llvm.read_register.") &&
      !spgc_ir_is_intrinsic(call, "llvm.read_volatile_register.") &&
      !spgc_ir_is_intrinsic(call, "llvm.write_register."))
    return true;
  LLVMValueRef node = LLVMGetArgOperand(call, 0), name = NULL;
  if (LLVMGetMDNodeNumOperands(node) == 1)
    LLVMGetMDNodeOperands(node, &name);
  LLVMTypeRef type =
      LLVMGetNumArgOperands(call) > 1 ? LLVMTypeOf(LLVMGetArgOperand(call, 1)) : LLVMTypeOf(call);
  LLVMValueRef function = spgc_ir_function_of(call);
  return is_known_register(name, type, function);
}

enum { FIRST_SEGMENT = 256, MOST_INLINE_BYTES = 64, LENGTH_ARGUMENT = 2 };

static bool is_in_segment(LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
         LLVMGetPointerAddressSpace(type) >= FIRST_SEGMENT;
}

/* The C library's functions know no segments. */
static bool segments_are_written_inline(LLVMValueRef call) {
  if (!spgc_ir_is_intrinsic(call, "llvm.memcpy.") && !spgc_ir_is_intrinsic(call, "llvm.memmove.") &&
      !spgc_ir_is_intrinsic(call, "llvm.memset."))
    return true;
  if (!is_in_segment(LLVMGetArgOperand(call, 0)) && !is_in_segment(LLVMGetArgOperand(call, 1)))
    return true;
  LLVMValueRef length = LLVMGetArgOperand(call, LENGTH_ARGUMENT);
  return LLVMIsAConstantInt(length) != NULL &&
         LLVMConstIntGetZExtValue(length) <= MOST_INLINE_BYTES;
}

static bool divisions_are_of_words(LLVMValueRef call) {
  enum { WIDEST = 32 };
  static const char *const names[] = {"llvm.sdiv.fix", "llvm.udiv.fix"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (spgc_ir_is_intrinsic(call, names[i])) {
      LLVMTypeRef type = LLVMTypeOf(call);
      type = LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
      return LLVMGetIntTypeWidth(type) <= WIDEST;
    }
  return true;
}

/* Of the attributes of results, these say how the result is passed. The others are promises. */
static bool tail_calls_return_alike(LLVMValueRef call) {
  static const char *const names[] = {"zeroext", "signext", "inreg"};
  if (!spgc_ir_call_is_musttail(call))
    return true;
  LLVMValueRef function = spgc_ir_function_of(call);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if ((spgc_ir_attribute_at(function, LLVMAttributeReturnIndex, names[i]) == NULL) !=
        (spgc_ir_attribute_at(call, LLVMAttributeReturnIndex, names[i]) == NULL))
      return false;
  return true;
}

static const struct rule emission_of_call_rules[] = {
    RULE(interrupts_are_not_called, 47, "an x86_intrcc function is called",
         "call one of another convention"),
    RULE(pointers_have_no_keys, 47, "this processor has no authenticated pointers",
         "remove the \"ptrauth\" operand bundle"),
    RULE(registers_are_known, 47,
         "the only registers that LLVM reads and writes by name are the stack pointer (rsp and "
         "esp, and sp on AArch64), and rbp and ebp with \"frame-pointer\"=\"all\"",
         "use inline assembly"),
    RULE(segments_are_written_inline, 47,
         "LLVM copies and fills memory of a segment by single words only",
         "load and store, or use a constant length of at most 64"),
    RULE(divisions_are_of_words, 47, "LLVM cannot divide fixed-point numbers of more than 32 bits",
         "divide integers"),
    RULE(tail_calls_return_alike, 38,
         "a musttail call and its function have different attributes of their results, so LLVM "
         "cannot make it a tail call",
         "give both results the same attributes, or call without musttail"),
    RULE(statepoints_need_no_thunks, 33,
         "LLVM cannot make a statepoint of an indirect call that goes through a thunk",
         "remove +retpoline, +retpoline-indirect-calls or +lvi-cfi from \"target-features\" (in C, "
         "-mretpoline, -mlvi-cfi), or mark the call \"gc-leaf-function\""),
};

const struct objection *spgc_check_emission_of_call(LLVMValueRef call) {
  return FIRST_OBJECTION(emission_of_call_rules, call);
}
