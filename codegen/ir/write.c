#include "codegen/ir/write.h"

#include <stdlib.h>

#include "codegen/ir/access_type.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/linkage.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/values.h"
#include "codegen/ir/word_change.h"
#include "support/fatal.h"

struct write spgc_write_of(LLVMValueRef instruction) {
  if (LLVMIsAStoreInst(instruction) || spgc_ir_is_intrinsic(instruction, "llvm.masked.store.") ||
      spgc_ir_is_intrinsic(instruction, "llvm.masked.compressstore."))
    return (struct write){LLVMGetOperand(instruction, 1), LLVMGetOperand(instruction, 0)};
  if (LLVMIsAAtomicRMWInst(instruction))
    return (struct write){LLVMGetOperand(instruction, 0), LLVMGetOperand(instruction, 1)};
  if (LLVMIsAAtomicCmpXchgInst(instruction))
    return (struct write){LLVMGetOperand(instruction, 0), LLVMGetOperand(instruction, 2)};
  return (struct write){0};
}

/* The values that one value may come from, each entered once. A search that gets longer answers
 * yes. */
enum { MOST_SOURCES = 256, WORD_BITS = 64 };

struct source {
  LLVMValueRef value;
  enum word_change change;
};

struct search {
  struct source sources[MOST_SOURCES];
  unsigned count;
  bool computes;      /* what is computed from an address may be one */
  bool is_cast;       /* the program makes a reference of the value, whatever !tbaa says */
  enum origin origin; /* the worst origin so far */
};

static void note_origin(struct search *search, bool is_found, enum origin origin) {
  if (is_found && origin > search->origin)
    search->origin = origin;
}

static bool holds_words(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) > 32;
  case LLVMDoubleTypeKind:
  case LLVMFP128TypeKind:
  case LLVMPointerTypeKind:
  case LLVMStructTypeKind:
  case LLVMArrayTypeKind:
  case LLVMVectorTypeKind: return true;
  default: return false;
  }
}

/* True for a whole word that may be an address. The elements of a vector may be parts of words.
 * Floating-point numbers are none, because only a load makes one of a reference; nor are ordinary
 * pointers, because references are not cast to them. */
static bool holds_addresses(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
  case LLVMVectorTypeKind: return spgc_integer_bits(type) >= WORD_BITS;
  case LLVMArrayTypeKind: return holds_addresses(LLVMGetElementType(type));
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      if (holds_addresses(LLVMStructGetTypeAtIndex(type, i)))
        return true;
    return false;
  default: return false;
  }
}

/* Ends the search at a value that nothing in the module explains. */
static void end_unknown(struct search *search, LLVMValueRef value, enum word_change change) {
  note_origin(search,
              (change != WORD_COMPUTED || search->computes) && holds_addresses(LLVMTypeOf(value)),
              ORIGIN_UNKNOWN);
}

static void add_source(struct search *search, LLVMValueRef value, enum word_change change) {
  if (change == WORD_LOST || LLVMIsAConstant(value) != NULL || !holds_words(LLVMTypeOf(value)) ||
      spgc_ir_is_any_reference(value))
    return;
  for (unsigned i = 0; i < search->count; i++)
    if (search->sources[i].value == value && search->sources[i].change <= change)
      return;
  note_origin(search, search->count == MOST_SOURCES, ORIGIN_REFERENCE);
  if (search->count < MOST_SOURCES)
    search->sources[search->count++] = (struct source){value, change};
}

static void add_operands(struct search *search, LLVMValueRef value, enum word_change change) {
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
    add_source(search, LLVMGetOperand(value, i), change);
}

static void add_incoming(struct search *search, LLVMValueRef phi, enum word_change change) {
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    add_source(search, LLVMGetIncomingValue(phi, i), change);
}

static unsigned parameter_index(LLVMValueRef argument) {
  unsigned index = 0;
  for (LLVMValueRef other = argument; (other = LLVMGetPreviousParam(other)) != NULL;)
    index++;
  return index;
}

static bool passes_as_argument(LLVMValueRef call, LLVMValueRef function) {
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    if (LLVMGetArgOperand(call, i) == function)
      return true;
  return false;
}

/* Adds the arguments that the module's own calls pass. Other modules, and calls through pointers,
 * may pass anything. */
static void add_arguments(struct search *search, LLVMValueRef argument, enum word_change change) {
  LLVMValueRef function = LLVMGetParamParent(argument);
  bool all_seen = spgc_ir_is_local(function);
  for (LLVMUseRef use = LLVMGetFirstUse(function); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    bool called =
        LLVMIsAInstruction(user) && spgc_ir_is_call(user) && spgc_ir_callee(user) == function;
    all_seen = all_seen && called && !passes_as_argument(user, function);
    if (called && parameter_index(argument) < LLVMGetNumArgOperands(user))
      add_source(search, LLVMGetArgOperand(user, parameter_index(argument)), change);
  }
  if (!all_seen)
    end_unknown(search, argument, change);
}

static void add_returned(struct search *search, LLVMValueRef function, enum word_change change) {
  IR_EACH_BLOCK (block, function) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (LLVMIsAReturnInst(end) && LLVMGetNumOperands(end) == 1)
      add_source(search, LLVMGetOperand(end, 0), change);
  }
}

static bool takes_reference(LLVMValueRef call) {
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    if (spgc_ir_type_contains_reference(LLVMTypeOf(LLVMGetArgOperand(call, i))))
      return true;
  return false;
}

static bool takes_address(LLVMValueRef call) {
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
    LLVMTypeRef type = LLVMTypeOf(LLVMGetArgOperand(call, i));
    bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    if (LLVMGetTypeKind(vector ? LLVMGetElementType(type) : type) == LLVMPointerTypeKind)
      return true;
  }
  return false;
}

/* An integer in memory that is no object may be an address whatever its !tbaa says, because numbers
 * in variables may be casts of references. */
static void note_read(struct search *search, LLVMValueRef access, bool of_object,
                      enum word_change change) {
  bool follows = change != WORD_COMPUTED || search->computes;
  bool says_number = !search->is_cast && spgc_access_is_of_number(access);
  if (of_object)
    note_origin(search, follows && !says_number,
                change == WORD_COPIED ? ORIGIN_REFERENCE : ORIGIN_UNKNOWN);
  else
    note_origin(search, follows && (!says_number || holds_addresses(LLVMTypeOf(access))),
                ORIGIN_UNKNOWN);
}

static enum word_change at_least(enum word_change change, enum word_change other) {
  return change > other ? change : other;
}

/* Its last operand is what it gives where the mask is false. */
static bool is_masked_read(LLVMValueRef call) {
  static const char *const names[] = {"llvm.masked.load.", "llvm.masked.gather.",
                                      "llvm.masked.expandload."};
  return spgc_is_any_intrinsic_of(call, names, sizeof names / sizeof *names);
}

/* An intrinsic with reference operands reads fields; one with ordinary pointers reads other
 * memory. */
static void follow_intrinsic(struct search *search, LLVMValueRef call, enum word_change change) {
  unsigned count = LLVMGetNumArgOperands(call);
  enum word_change own = spgc_change_by_intrinsic(call);
  if (own == WORD_COMPUTED && takes_address(call))
    note_read(search, call, takes_reference(call), change);
  for (unsigned i = 0; i < count; i++) {
    bool passes = i == count - 1 && is_masked_read(call);
    add_source(search, LLVMGetArgOperand(call, i), at_least(change, passes ? WORD_COPIED : own));
  }
}

/* The lowering's own calls read addresses. */
static void follow_call(struct search *search, LLVMValueRef call, enum word_change change) {
  LLVMValueRef callee = spgc_ir_callee(call);
  if (callee != NULL && LLVMGetIntrinsicID(callee) != 0) {
    follow_intrinsic(search, call, change);
  } else if (callee != NULL && spgc_ir_name_starts_with(callee, PRELUDE_PREFIX)) {
    note_origin(search, takes_reference(call), ORIGIN_REFERENCE);
  } else if (callee == NULL || LLVMIsDeclaration(callee)) {
    end_unknown(search, call, change);
  } else {
    add_returned(search, callee, change);
    if (!spgc_ir_is_definitive(callee))
      end_unknown(search, call, change);
  }
}

static bool is_constant(LLVMValueRef address) {
  LLVMValueRef object = spgc_ir_underlying_object(address);
  return LLVMIsAGlobalVariable(object) != NULL && LLVMIsGlobalConstant(object);
}

static void follow_load(struct search *search, LLVMValueRef load, enum word_change change) {
  LLVMValueRef address = LLVMGetOperand(load, 0);
  bool of_object = spgc_ir_is_reference(address);
  if (of_object || !is_constant(address))
    note_read(search, load, of_object, change);
}

static void follow(struct search *search, LLVMValueRef value, enum word_change change) {
  if (LLVMIsAArgument(value) != NULL) {
    add_arguments(search, value, change);
    return;
  }
  if (LLVMIsAInstruction(value) == NULL)
    return;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMPtrToInt:
    note_origin(search, spgc_ir_type_contains_reference(LLVMTypeOf(LLVMGetOperand(value, 0))),
                ORIGIN_REFERENCE);
    add_operands(search, value, change);
    return;
  case LLVMLoad:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg: follow_load(search, value, change); return;
  case LLVMPHI: add_incoming(search, value, change); return;
  case LLVMSelect:
  case LLVMFreeze:
  case LLVMBitCast:
  case LLVMIntToPtr:
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
  case LLVMGetElementPtr:
  case LLVMExtractElement:
  case LLVMInsertElement:
  case LLVMShuffleVector:
  case LLVMExtractValue:
  case LLVMInsertValue: add_operands(search, value, change); return;
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMShl:
  case LLVMLShr:
  case LLVMAShr:
    add_operands(search, value, at_least(change, spgc_change_by_arithmetic(value)));
    return;
  case LLVMFNeg: add_operands(search, value, at_least(change, WORD_UNTAGGED)); return;
  case LLVMCall:
  case LLVMInvoke: follow_call(search, value, change); return;
  default: return;
  }
}

static struct search *start(LLVMValueRef value) {
  struct search *search = calloc(1, sizeof *search);
  spgc_require(search != NULL, "out of memory");
  add_source(search, value, WORD_COPIED);
  return search;
}

enum origin spgc_write_origin(LLVMValueRef value) {
  struct search *search = start(value);
  for (unsigned i = 0; i < search->count && search->origin != ORIGIN_REFERENCE; i++)
    follow(search, search->sources[i].value, search->sources[i].change);
  enum origin origin = search->origin;
  free(search);
  return origin;
}

enum { MOST_ZERO_BITS = 63 };

/* How many of the lowest bits are zero, by the last operation alone. */
static unsigned zero_bits(LLVMValueRef value) {
  if (LLVMIsAZExtInst(value) != NULL || LLVMIsASExtInst(value) != NULL)
    return zero_bits(LLVMGetOperand(value, 0));
  if (LLVMIsABinaryOperator(value) == NULL ||
      LLVMIsAConstantInt(LLVMGetOperand(value, 1)) == NULL ||
      LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
    return 0;
  uint64_t constant = LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1));
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMShl: return (unsigned)(constant < MOST_ZERO_BITS ? constant : MOST_ZERO_BITS);
  case LLVMMul:
  case LLVMAnd: return constant != 0 ? (unsigned)__builtin_ctzll(constant) : 0;
  default: return 0;
  }
}

/* True for a number with a bit that no address has: one of the lowest three, or of the upper ones.
 */
static bool has_tag(LLVMValueRef value) {
  const uint64_t lowest = 7, within = (UINT64_C(1) << 47) - 1;
  if (LLVMIsABinaryOperator(value) == NULL ||
      LLVMIsAConstantInt(LLVMGetOperand(value, 1)) == NULL ||
      LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
    return false;
  uint64_t constant = LLVMConstIntGetZExtValue(LLVMGetOperand(value, 1));
  unsigned zero = zero_bits(LLVMGetOperand(value, 0));
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMOr: return (constant & (lowest | ~within)) != 0;
  case LLVMAdd:
  case LLVMXor: return (constant & lowest & ((UINT64_C(1) << zero) - 1)) != 0;
  default: return false;
  }
}

bool spgc_may_become_address(LLVMValueRef value, bool is_cast) {
  struct search *search = start(value);
  search->computes = true;
  search->is_cast = is_cast;
  for (unsigned i = 0; i < search->count && search->origin == ORIGIN_NUMBER; i++) {
    struct source source = search->sources[i];
    if (source.change != WORD_COPIED || !has_tag(source.value))
      follow(search, source.value, source.change);
  }
  bool may = search->origin != ORIGIN_NUMBER;
  free(search);
  return may;
}

bool spgc_write_loads(LLVMValueRef value, struct values *loads) {
  struct search *search = start(value);
  for (unsigned i = 0; i < search->count; i++) {
    struct source source = search->sources[i];
    if (LLVMIsALoadInst(source.value) != NULL)
      spgc_values_add(loads, source.value);
    follow(search, source.value, source.change);
  }
  bool found_all = search->count < MOST_SOURCES;
  free(search);
  return found_all;
}
