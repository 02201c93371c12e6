#include "codegen/ir/write.h"

#include <stdlib.h>

#include "codegen/ir/access_type.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "support/fatal.h"

struct write write_of(LLVMValueRef instruction) {
  if (LLVMIsAStoreInst(instruction) || ir_is_intrinsic(instruction, "llvm.masked.store.") ||
      ir_is_intrinsic(instruction, "llvm.masked.compressstore."))
    return (struct write){LLVMGetOperand(instruction, 1), LLVMGetOperand(instruction, 0)};
  if (LLVMIsAAtomicRMWInst(instruction))
    return (struct write){LLVMGetOperand(instruction, 0), LLVMGetOperand(instruction, 1)};
  if (LLVMIsAAtomicCmpXchgInst(instruction))
    return (struct write){LLVMGetOperand(instruction, 0), LLVMGetOperand(instruction, 2)};
  return (struct write){0};
}

/* The values one value may have come from, each entered once. A search that gets longer ends with a yes. */
enum { MOST_SOURCES = 256 };

struct source {
  LLVMValueRef value;
  bool computed; /* from its value by arithmetic */
};

struct search {
  struct source sources[MOST_SOURCES];
  unsigned count;
  bool found;
};

static bool holds_words(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) > 32;
  case LLVMDoubleTypeKind:
  case LLVMPointerTypeKind:
  case LLVMStructTypeKind:
  case LLVMArrayTypeKind: return true;
  case LLVMVectorTypeKind: return LLVMGetTypeKind(LLVMGetElementType(type)) != LLVMFloatTypeKind;
  default: return false;
  }
}

static void add_source(struct search *search, LLVMValueRef value, bool computed) {
  if (LLVMIsAConstant(value) != NULL || !holds_words(LLVMTypeOf(value)) ||
      ir_type_contains_reference(LLVMTypeOf(value)))
    return;
  for (unsigned i = 0; i < search->count; i++)
    if (search->sources[i].value == value && search->sources[i].computed <= computed)
      return;
  if (search->count == MOST_SOURCES)
    search->found = true;
  else
    search->sources[search->count++] = (struct source){value, computed};
}

static void add_operands(struct search *search, LLVMValueRef value, bool computed) {
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(value); i++)
    add_source(search, LLVMGetOperand(value, i), computed);
}

static void add_incoming(struct search *search, LLVMValueRef phi, bool computed) {
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    add_source(search, LLVMGetIncomingValue(phi, i), computed);
}

static unsigned parameter_index(LLVMValueRef argument) {
  unsigned index = 0;
  for (LLVMValueRef other = argument; (other = LLVMGetPreviousParam(other)) != NULL;)
    index++;
  return index;
}

/* What the module's own calls pass. */
static void add_arguments(struct search *search, LLVMValueRef argument, bool computed) {
  LLVMValueRef function = LLVMGetParamParent(argument);
  for (LLVMUseRef use = LLVMGetFirstUse(function); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAInstruction(user) && ir_is_call(user) && ir_callee(user) == function &&
        parameter_index(argument) < LLVMGetNumArgOperands(user))
      add_source(search, LLVMGetArgOperand(user, parameter_index(argument)), computed);
  }
}

static void add_returned(struct search *search, LLVMValueRef function, bool computed) {
  IR_EACH_BLOCK (block, function) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (LLVMIsAReturnInst(end) && LLVMGetNumOperands(end) == 1)
      add_source(search, LLVMGetOperand(end, 0), computed);
  }
}

static bool takes_reference(LLVMValueRef call) {
  for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
    if (ir_type_contains_reference(LLVMTypeOf(LLVMGetArgOperand(call, i))))
      return true;
  return false;
}

/* The lowering's own calls read addresses; an intrinsic that is given references reads fields. */
static void follow_call(struct search *search, LLVMValueRef call, bool computed) {
  LLVMValueRef callee = ir_callee(call);
  if (callee == NULL)
    return;
  if (LLVMGetIntrinsicID(callee) != 0) {
    search->found |= takes_reference(call) && !computed;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
      add_source(search, LLVMGetArgOperand(call, i), true);
  } else if (ir_name_starts_with(callee, PRELUDE_PREFIX)) {
    search->found |= takes_reference(call);
  } else {
    add_returned(search, callee, computed);
  }
}

/* A few low bits of an address, or its highest ones, are none. */
static bool keeps_few_bits(LLVMValueRef arithmetic) {
  enum { FEW = 4096, MOST_SHIFT = 36 };
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(arithmetic); i++) {
    LLVMValueRef operand = LLVMGetOperand(arithmetic, i);
    if (LLVMIsAConstantInt(operand) == NULL || LLVMGetIntTypeWidth(LLVMTypeOf(operand)) > 64)
      continue;
    unsigned long long constant = LLVMConstIntGetZExtValue(operand);
    LLVMOpcode opcode = LLVMGetInstructionOpcode(arithmetic);
    if ((opcode == LLVMAnd && constant < FEW) || (opcode == LLVMLShr && i == 1 && constant >= MOST_SHIFT))
      return true;
  }
  return false;
}

static void follow(struct search *search, LLVMValueRef value, bool computed) {
  if (LLVMIsAArgument(value) != NULL) {
    add_arguments(search, value, computed);
    return;
  }
  if (LLVMIsAInstruction(value) == NULL)
    return;
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMPtrToInt:
    search->found |= ir_type_contains_reference(LLVMTypeOf(LLVMGetOperand(value, 0)));
    add_operands(search, value, computed);
    return;
  case LLVMLoad:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    search->found |= !computed && ir_is_reference(LLVMGetOperand(value, 0)) && !access_is_of_number(value);
    return;
  case LLVMPHI: add_incoming(search, value, computed); return;
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
  case LLVMInsertValue: add_operands(search, value, computed); return;
  case LLVMAdd:
  case LLVMSub:
  case LLVMMul:
  case LLVMAnd:
  case LLVMOr:
  case LLVMXor:
  case LLVMShl:
  case LLVMLShr:
  case LLVMAShr:
    if (!keeps_few_bits(value))
      add_operands(search, value, true);
    return;
  case LLVMCall:
  case LLVMInvoke: follow_call(search, value, computed); return;
  default: return;
  }
}

bool write_may_be_reference(LLVMValueRef value) {
  struct search *search = calloc(1, sizeof *search);
  spgc_require(search != NULL, "out of memory");
  add_source(search, value, false);
  for (unsigned i = 0; i < search->count && !search->found; i++)
    follow(search, search->sources[i].value, search->sources[i].computed);
  bool found = search->found;
  free(search);
  return found;
}
