/* Calls that test whether a word declared as a number is an object's address
 * (spgc_lower_options.check_numbers). They are inserted before the optimiser runs, and recognise an
 * address even if its object has moved since. */
#include <stdio.h>
#include <stdlib.h>

#include <llvm-c/Target.h>

#include "codegen/ir/address_use.h"
#include "codegen/ir/aggregate.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/known_bits.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/segments.h"
#include "codegen/ir/source_place.h"
#include "codegen/ir/storage.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"
#include "support/fatal.h"

enum { WORD_BITS = 64 };

struct tests {
  LLVMModuleRef module;
  LLVMTargetDataRef data;
  LLVMBuilderRef builder;
  LLVMTypeRef word;
};

static const char test_of_number[] = PRELUDE_PREFIX "check_number";
static const char test_of_words[] = "spgc_check_words", test_of_copy[] = "spgc_check_copy";

static LLVMValueRef describe(const struct tests *tests, LLVMValueRef instruction,
                             const char *what) {
  struct source_place place;
  char line[32] = "", *text;
  LLVMValueRef function = spgc_ir_function_of(instruction);
  spgc_source_place_of(instruction, NULL, &place);
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

static void call(const struct tests *tests, const char *name, LLVMValueRef *arguments,
                 unsigned argument_count) {
  enum { MOST_ARGUMENTS = 4 };
  LLVMTypeRef types[MOST_ARGUMENTS];
  for (unsigned i = 0; i < argument_count; i++)
    types[i] = LLVMTypeOf(arguments[i]);
  LLVMTypeRef nothing = LLVMVoidTypeInContext(LLVMGetModuleContext(tests->module));
  LLVMTypeRef type = LLVMFunctionType(nothing, types, argument_count, false);
  LLVMValueRef function = spgc_note_function(tests->module, name, type);
  LLVMBuildCall2(tests->builder, type, function, arguments, argument_count, "");
}

static void test_words(const struct tests *tests, LLVMValueRef first, LLVMValueRef bytes,
                       LLVMValueRef place) {
  LLVMValueRef address = LLVMBuildPtrToInt(tests->builder, first, tests->word, "");
  call(tests, test_of_words, (LLVMValueRef[]){address, bytes, place}, 3);
}

static bool is_number(LLVMTypeRef type, LLVMTargetDataRef data) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) >= WORD_BITS;
  case LLVMDoubleTypeKind:
  case LLVMFP128TypeKind: return true;
  case LLVMPointerTypeKind: return LLVMGetPointerAddressSpace(type) == 0;
  case LLVMVectorTypeKind:
    return !spgc_ir_type_contains_reference(type) &&
           LLVMSizeOfTypeInBits(data, type) % WORD_BITS == 0;
  default: return false;
  }
}

static LLVMValueRef as_integer(const struct tests *tests, LLVMValueRef number) {
  LLVMTypeRef type = LLVMTypeOf(number);
  bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
  LLVMTypeRef part = is_vector ? LLVMGetElementType(type) : type;
  unsigned bits = (unsigned)LLVMSizeOfTypeInBits(tests->data, type);
  if (LLVMGetTypeKind(part) == LLVMPointerTypeKind) {
    LLVMTypeRef words =
        is_vector ? LLVMVectorType(tests->word, LLVMGetVectorSize(type)) : tests->word;
    number = LLVMBuildPtrToInt(tests->builder, number, words, "");
  }
  return LLVMBuildBitCast(tests->builder, number,
                          LLVMIntTypeInContext(LLVMGetTypeContext(type), bits), "");
}

static void test_parts(const struct tests *tests, LLVMValueRef number, LLVMValueRef place) {
  LLVMValueRef integer = as_integer(tests, number);
  LLVMTypeRef type = LLVMTypeOf(integer);
  unsigned bits = LLVMGetIntTypeWidth(type);
  for (unsigned at = 0; at + WORD_BITS <= bits; at += WORD_BITS) {
    LLVMValueRef shifted = integer;
    if (at != 0)
      shifted = LLVMBuildLShr(tests->builder, integer, LLVMConstInt(type, at, false), "");
    LLVMValueRef word = LLVMBuildIntCast2(tests->builder, shifted, tests->word, false, "");
    call(tests, test_of_number, (LLVMValueRef[]){word, place}, 2);
  }
}

static void test_value(const struct tests *tests, LLVMValueRef value, LLVMValueRef place) {
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMIsAConstant(value) != NULL || spgc_ir_type_is_scalable(type))
    return;
  if (is_number(type, tests->data))
    test_parts(tests, value, place);
  for (unsigned i = 0; spgc_is_aggregate(type) && i < spgc_aggregate_count(type); i++)
    test_value(tests, LLVMBuildExtractValue(tests->builder, value, i, ""), place);
}

/* False for references, and types without room for a word. */
static bool has_words(LLVMTypeRef type, LLVMTargetDataRef data) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMArrayTypeKind)
    return LLVMGetArrayLength2(type) != 0 && has_words(LLVMGetElementType(type), data);
  for (unsigned i = 0; kind == LLVMStructTypeKind && i < LLVMCountStructElementTypes(type); i++)
    if (has_words(LLVMStructGetTypeAtIndex(type, i), data))
      return true;
  return is_number(type, data);
}

static const char reads[] = "reads a number from an object";
static const char stores[] = "stores a number";
static const char changes[] = "writes a part of a reference as a number";
static const char copies[] = "copies a word that one side declares as a number";
static const char makes[] = "makes a reference from an integer";
static const char keeps[] =
    "uses a number that it kept across a safepoint, or passes one to a function that may reach one";

static bool is_whole(const struct tests *tests, LLVMValueRef access, LLVMTypeRef type) {
  return LLVMGetAlignment(access) % IR_WORD == 0 && has_words(type, tests->data);
}

static void test_memory(const struct tests *tests, LLVMValueRef address, LLVMTypeRef type,
                        LLVMValueRef place) {
  bool is_sized = LLVMTypeIsSized(type) && !spgc_ir_type_is_scalable(type);
  if (is_sized && !spgc_ir_type_contains_reference(type))
    test_words(tests, address,
               LLVMConstInt(tests->word, LLVMStoreSizeOfType(tests->data, type), false), place);
}

static void test_read(const struct tests *tests, LLVMValueRef load) {
  LLVMTypeRef type = LLVMTypeOf(load);
  LLVMPositionBuilderBefore(tests->builder, LLVMGetNextInstruction(load));
  if (is_whole(tests, load, type))
    test_value(tests, load, describe(tests, load, reads));
  else
    test_memory(tests, LLVMGetOperand(load, 0), type, describe(tests, load, reads));
}

static void test_store(const struct tests *tests, LLVMValueRef store) {
  LLVMValueRef value = LLVMGetOperand(store, 0), address = LLVMGetOperand(store, 1);
  if (has_words(LLVMTypeOf(value), tests->data)) {
    LLVMPositionBuilderBefore(tests->builder, store);
    test_value(tests, value, describe(tests, store, stores));
  }
  if (spgc_ir_is_reference(address) && !is_whole(tests, store, LLVMTypeOf(value))) {
    LLVMPositionBuilderBefore(tests->builder, LLVMGetNextInstruction(store));
    test_memory(tests, address, LLVMTypeOf(value), describe(tests, store, changes));
  }
}

static void test_exchange(const struct tests *tests, LLVMValueRef exchange) {
  struct write write = spgc_write_of(exchange);
  LLVMPositionBuilderBefore(tests->builder, exchange);
  if (write.address != NULL)
    test_value(tests, write.value, describe(tests, exchange, stores));
  if (!spgc_ir_is_reference(LLVMGetOperand(exchange, 0)))
    return;
  LLVMPositionBuilderBefore(tests->builder, LLVMGetNextInstruction(exchange));
  test_value(tests, exchange, describe(tests, exchange, reads));
}

static void test_intrinsic(const struct tests *tests, LLVMValueRef intrinsic) {
  bool uses_reference = false;
  for (unsigned i = 0; i < LLVMGetNumArgOperands(intrinsic); i++)
    uses_reference = uses_reference || spgc_ir_is_any_reference(LLVMGetArgOperand(intrinsic, i));
  if (!uses_reference)
    return;
  LLVMPositionBuilderBefore(tests->builder, intrinsic);
  for (unsigned i = 0; i < LLVMGetNumArgOperands(intrinsic); i++)
    if (has_words(LLVMTypeOf(LLVMGetArgOperand(intrinsic, i)), tests->data))
      test_value(tests, LLVMGetArgOperand(intrinsic, i), describe(tests, intrinsic, stores));
  LLVMValueRef next = LLVMGetNextInstruction(intrinsic);
  if (next == NULL || !has_words(LLVMTypeOf(intrinsic), tests->data))
    return;
  LLVMPositionBuilderBefore(tests->builder, next);
  test_value(tests, intrinsic, describe(tests, intrinsic, reads));
}

/* A cast straight back means the reference itself. */
static void test_cast(const struct tests *tests, LLVMValueRef cast) {
  LLVMValueRef integer = LLVMGetOperand(cast, 0);
  if (spgc_ir_is_cast_of_reference(integer) || spgc_bits_show_immediate(integer))
    return;
  LLVMPositionBuilderBefore(tests->builder, cast);
  test_value(tests, integer, describe(tests, cast, makes));
}

/* For words that the variable on the other side declares as numbers. */
static void test_against(const struct tests *tests, struct place place, LLVMValueRef memory,
                         LLVMValueRef length, LLVMValueRef text) {
  if (place.type == NULL)
    return;
  if (!spgc_ir_type_contains_reference(place.type)) {
    test_words(tests, memory, LLVMBuildIntCast2(tests->builder, length, tests->word, false, ""),
               text);
    return;
  }
  if (LLVMIsAConstantInt(length) == NULL)
    return;
  for (uint64_t at = 0; at + IR_WORD <= LLVMConstIntGetZExtValue(length); at += IR_WORD)
    if (spgc_storage_at(tests->data, place, at) == STORAGE_NUMBER)
      test_words(tests, spgc_ir_build_offset(tests->builder, memory, at),
                 LLVMConstInt(tests->word, IR_WORD, false), text);
}

/* The descriptor tells which words are references. */
static void test_object(const struct tests *tests, LLVMValueRef transfer, LLVMValueRef text) {
  LLVMValueRef to = LLVMGetOperand(transfer, IR_COPY_DESTINATION), base = spgc_ir_only_base(to);
  LLVMValueRef length = LLVMBuildIntCast2(tests->builder, LLVMGetOperand(transfer, IR_COPY_LENGTH),
                                          tests->word, false, "");
  if (base != NULL)
    call(tests, test_of_copy, (LLVMValueRef[]){base, to, length, text}, 4);
}

static void test_transfer(const struct tests *tests, LLVMValueRef transfer) {
  LLVMValueRef to = LLVMGetOperand(transfer, IR_COPY_DESTINATION),
               from = LLVMGetOperand(transfer, IR_COPY_SOURCE),
               length = LLVMGetOperand(transfer, IR_COPY_LENGTH);
  bool from_object = spgc_ir_is_reference(from), to_object = spgc_ir_is_reference(to);
  if (!from_object && !to_object)
    return;
  LLVMPositionBuilderBefore(tests->builder, transfer);
  LLVMValueRef text = describe(tests, transfer, copies);
  if (!to_object)
    test_against(tests, spgc_place_of(tests->data, to), from, length, text);
  if (!from_object)
    test_against(tests, spgc_place_of(tests->data, from), from, length, text);
  LLVMPositionBuilderBefore(tests->builder, LLVMGetNextInstruction(transfer));
  if (to_object)
    test_object(tests, transfer, text);
}

static void test_instruction(const struct tests *tests, LLVMValueRef instruction) {
  if (LLVMIsALoadInst(instruction)) {
    if (spgc_ir_is_reference(LLVMGetOperand(instruction, 0)))
      test_read(tests, instruction);
  } else if (LLVMIsAStoreInst(instruction)) {
    test_store(tests, instruction);
  } else if (LLVMIsAAtomicRMWInst(instruction) || LLVMIsAAtomicCmpXchgInst(instruction)) {
    test_exchange(tests, instruction);
  } else if (LLVMIsAIntToPtrInst(instruction)) {
    if (spgc_ir_is_any_reference(instruction))
      test_cast(tests, instruction);
  } else if (spgc_ir_is_memory_transfer(instruction)) {
    test_transfer(tests, instruction);
  } else if (spgc_ir_is_any_intrinsic(instruction)) {
    test_intrinsic(tests, instruction);
  }
}

struct keepings {
  struct values values, points;
};

static bool is_variable(LLVMValueRef value) {
  LLVMValueRef object = spgc_ir_underlying_object(value);
  return LLVMIsAAllocaInst(object) != NULL || LLVMIsAConstant(object) != NULL;
}

static bool may_be_address(const struct tests *tests, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  if (!has_words(type, tests->data))
    return false;
  return LLVMGetTypeKind(type) != LLVMPointerTypeKind || !is_variable(value);
}

static void add_if_kept(struct segments *segments, LLVMValueRef value, LLVMValueRef point,
                        bool is_passed, struct keepings *found) {
  if (!is_passed && !spgc_safepoint_lies_between(segments, value, point))
    return;
  spgc_values_add(&found->values, value);
  spgc_values_add(&found->points, point);
}

/* The test is at the use, not at the definition: the value may be an immediate on one path, where
 * any use is fine, and an address on another. A phi uses a value at the incoming block's end. */
static void find_uses(const struct tests *tests, struct segments *segments, LLVMValueRef value,
                      struct keepings *found) {
  if (!may_be_address(tests, value))
    return;
  IR_EACH_USER (user, value) {
    if (LLVMIsAInstruction(user) == NULL || spgc_address_use_survives_moving(user, value))
      continue;
    if (LLVMIsAPHINode(user) == NULL)
      add_if_kept(segments, value, user, spgc_ir_is_safepoint(user), found);
    for (unsigned i = 0; LLVMIsAPHINode(user) != NULL && i < LLVMCountIncoming(user); i++)
      if (LLVMGetIncomingValue(user, i) == value)
        add_if_kept(segments, value, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, i)),
                    false, found);
  }
}

static void find_kept(const struct tests *tests, struct segments *segments, LLVMValueRef function,
                      struct keepings *found) {
  spgc_segments_read(segments, function, SAFEPOINTS_POSSIBLE);
  for (unsigned i = 0; i < segments->definitions.count; i++)
    find_uses(tests, segments, segments->definitions.at[i], found);
}

static void test_kept(struct lowering *lowering, const struct tests *tests) {
  struct keepings found = {0};
  struct segments segments = {0};
  IR_EACH_FUNCTION (function, lowering->module)
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function))
      find_kept(tests, &segments, function, &found);
  spgc_segments_free(&segments);
  for (unsigned i = 0; i < found.values.count; i++) {
    LLVMPositionBuilderBefore(tests->builder, found.points.at[i]);
    test_value(tests, found.values.at[i], describe(tests, found.points.at[i], keeps));
  }
  spgc_values_free(&found.values);
  spgc_values_free(&found.points);
}

enum spgc_result spgc_check_numbers(struct lowering *lowering, struct spgc_error *error) {
  if (!lowering->options->check_numbers)
    return SPGC_OK;
  struct tests tests = {.module = lowering->module,
                        .data = LLVMGetModuleDataLayout(lowering->module),
                        .builder = lowering->builder,
                        .word = LLVMInt64TypeInContext(LLVMGetModuleContext(lowering->module))};
  test_kept(lowering, &tests);
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_INSTRUCTION_OF (instruction, function)
      test_instruction(&tests, instruction);
  return SPGC_OK;
}
