/* The calls that number_checks.c puts into the code, and the words of the values that they test. */
#include "codegen/lower/close/number_tests.h"

#include <stdio.h>
#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/source_place.h"
#include "codegen/lower/phases.h"
#include "support/fatal.h"

enum { WORD_BITS = 64 };

static const char test_of_number[] = PRELUDE_PREFIX "check_number";
static const char test_of_words[] = "spgc_check_words", test_of_copy[] = "spgc_check_copy";

struct tests spgc_tests_open(struct lowering *lowering) {
  LLVMContextRef context = LLVMGetModuleContext(lowering->module);
  return (struct tests){.module = lowering->module,
                        .data = LLVMGetModuleDataLayout(lowering->module),
                        .builder = LLVMCreateBuilderInContext(context),
                        .word = LLVMInt64TypeInContext(context),
                        .pointer = LLVMPointerTypeInContext(context, 0),
                        .reference = LLVMPointerTypeInContext(context, IR_REFERENCE_ADDRESS_SPACE),
                        .nothing = LLVMVoidTypeInContext(context)};
}

/* ---- The calls ---- */

/* "FILE:LINE: function 'NAME' WHAT", and the variable if there is one. */
LLVMValueRef spgc_tests_describe(const struct tests *tests, LLVMValueRef instruction,
                                 const char *what) {
  struct source_place place;
  char line[32] = "", *text;
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
  spgc_source_place_of_instruction(instruction, &place);
  if (place.line != 0)
    snprintf(line, sizeof line, ":%u: ", place.line);
  int length =
      asprintf(&text, "%s%sfunction '%s' %s%s%s%s", place.line != 0 ? place.file : "", line,
               LLVMGetValueName(function), what, place.variable[0] != '\0' ? " (variable '" : "",
               place.variable, place.variable[0] != '\0' ? "')" : "");
  spgc_require(length >= 0, "out of memory");
  LLVMValueRef constant = LLVMBuildGlobalString(tests->builder, text, PRELUDE_PREFIX "place");
  free(text);
  return constant;
}

static void call(const struct tests *tests, const char *name, LLVMTypeRef *types,
                 LLVMValueRef *arguments, unsigned count) {
  LLVMTypeRef type = LLVMFunctionType(tests->nothing, types, count, false);
  LLVMValueRef function = spgc_note_function(tests->module, name, type);
  LLVMBuildCall2(tests->builder, type, function, arguments, count, "");
}

static void test_number(const struct tests *tests, LLVMValueRef number, LLVMValueRef place) {
  LLVMTypeRef types[] = {tests->word, tests->pointer};
  LLVMValueRef arguments[] = {number, place};
  call(tests, test_of_number, types, arguments, 2);
}

LLVMValueRef spgc_tests_count(const struct tests *tests, uint64_t bytes) {
  return LLVMConstInt(tests->word, bytes, false);
}

/* The words of memory that these bytes touch. */
void spgc_test_words(const struct tests *tests, LLVMValueRef first, LLVMValueRef bytes,
                     LLVMValueRef place) {
  LLVMTypeRef types[] = {tests->word, tests->word, tests->pointer};
  LLVMValueRef address = LLVMBuildPtrToInt(tests->builder, first, tests->word, "");
  LLVMValueRef arguments[] = {address, bytes, place};
  call(tests, test_of_words, types, arguments, 3);
}

void spgc_test_copy(const struct tests *tests, LLVMValueRef object, LLVMValueRef first,
                    LLVMValueRef bytes, LLVMValueRef place) {
  LLVMTypeRef types[] = {tests->reference, tests->reference, tests->word, tests->pointer};
  LLVMValueRef arguments[] = {object, first, bytes, place};
  call(tests, test_of_copy, types, arguments, 4);
}

/* ---- The words of a value ---- */

static bool is_number(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) >= WORD_BITS;
  case LLVMDoubleTypeKind:
  case LLVMFP128TypeKind: return true;
  case LLVMPointerTypeKind: return LLVMGetPointerAddressSpace(type) == 0;
  default: return false;
  }
}

/* True for a vector of numbers, or of parts of them. */
static bool is_vector_of_numbers(LLVMTypeRef type, LLVMTargetDataRef data) {
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind && !spgc_ir_type_contains_reference(type) &&
         LLVMSizeOfTypeInBits(data, type) % WORD_BITS == 0;
}

static LLVMValueRef as_integer(const struct tests *tests, LLVMValueRef number) {
  LLVMTypeRef type = LLVMTypeOf(number);
  unsigned bits = (unsigned)LLVMSizeOfTypeInBits(tests->data, type);
  LLVMTypeRef same = LLVMIntTypeInContext(LLVMGetTypeContext(type), bits);
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind
             ? LLVMBuildPtrToInt(tests->builder, number, tests->word, "")
             : LLVMBuildBitCast(tests->builder, number, same, "");
}

static void test_parts(const struct tests *tests, LLVMValueRef integer, LLVMValueRef place) {
  LLVMTypeRef type = LLVMTypeOf(integer);
  unsigned bits = LLVMGetIntTypeWidth(type);
  for (unsigned at = 0; at + WORD_BITS <= bits; at += WORD_BITS) {
    LLVMValueRef shifted = integer;
    if (at != 0)
      shifted = LLVMBuildLShr(tests->builder, integer, LLVMConstInt(type, at, false), "");
    test_number(tests, LLVMBuildIntCast2(tests->builder, shifted, tests->word, false, ""), place);
  }
}

void spgc_test_value(const struct tests *tests, LLVMValueRef value, LLVMValueRef place) {
  LLVMTypeRef type = LLVMTypeOf(value);
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (LLVMIsAConstant(value) != NULL || spgc_ir_type_is_scalable(type))
    return;
  if (is_number(type)) {
    test_parts(tests, as_integer(tests, value), place);
  } else if (is_vector_of_numbers(type, tests->data)) {
    if (LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMPointerTypeKind)
      value = LLVMBuildPtrToInt(tests->builder, value,
                                LLVMVectorType(tests->word, LLVMGetVectorSize(type)), "");
    test_parts(tests, as_integer(tests, value), place);
  } else if (kind == LLVMStructTypeKind) {
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      spgc_test_value(tests, LLVMBuildExtractValue(tests->builder, value, i, ""), place);
  } else if (kind == LLVMArrayTypeKind) {
    for (unsigned i = 0; i < LLVMGetArrayLength2(type); i++)
      spgc_test_value(tests, LLVMBuildExtractValue(tests->builder, value, i, ""), place);
  }
}

/* False for a type without room for a word, and for references. */
bool spgc_has_words(LLVMTypeRef type, LLVMTargetDataRef data) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMArrayTypeKind)
    return LLVMGetArrayLength2(type) != 0 && spgc_has_words(LLVMGetElementType(type), data);
  for (unsigned i = 0; kind == LLVMStructTypeKind && i < LLVMCountStructElementTypes(type); i++)
    if (spgc_has_words(LLVMStructGetTypeAtIndex(type, i), data))
      return true;
  return !spgc_ir_type_is_scalable(type) && (is_number(type) || is_vector_of_numbers(type, data));
}
