/* Forbidden intrinsics need features that this library lacks, leave the frame, or move its stack
 * pointer, which stack maps do not describe. */
#include "codegen/check/check.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"

static const struct objection has_statepoints = {
    28, "the function has statepoints or gc intrinsics already",
    "emit plain calls, loads and stores; the lowering does the rest"};
static const struct objection deoptimises = {
    36, "guards and deoptimisation need a runtime this library does not have",
    "branch to a call with a \"deopt\" operand bundle instead"};
static const struct objection is_coroutine = {
    36, "a coroutine keeps its references in a frame the collector does not see",
    "lower coroutines to objects of your own (in C++, a class with its state, or a fiber of "
    "spgc/fiber.h)"};
static const struct objection left_frame = {
    36,
    "the frame of a managed function is left by a jump, which may restore registers from before a "
    "collection",
    "leave functions by spgc_leave (spgc/protect.h) or by an exception"};
static const struct objection moved_stack = {
    36, "the stack pointer or frame pointer is moved, so that no stack map describes the frame",
    "restore only a value of llvm.stacksave in the same function; change stacks by "
    "spgc_fiber_switch (spgc/fiber.h)"};

static const struct objection *no_refused_intrinsics(LLVMValueRef call) {
  static const struct {
    const char *prefix;
    const struct objection *objection;
  } refused[] = {{"llvm.experimental.gc.", &has_statepoints},
                 {"llvm.gcroot", &has_statepoints},
                 {"llvm.gcread", &has_statepoints},
                 {"llvm.gcwrite", &has_statepoints},
                 {"llvm.experimental.deoptimize", &deoptimises},
                 {"llvm.experimental.guard", &deoptimises},
                 {"llvm.coro.", &is_coroutine},
                 {"llvm.eh.return.", &left_frame},
                 {"llvm.eh.sjlj.longjmp", &left_frame},
                 /* only the stack pointer and the frame pointer have names */
                 {"llvm.write_register.", &moved_stack}};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
    if (spgc_ir_is_intrinsic(call, refused[i].prefix))
      return refused[i].objection;
  return NULL;
}

static bool is_foreign_place(struct values *saved, LLVMValueRef value) {
  if (LLVMIsAFreezeInst(value) != NULL)
    spgc_values_add_new(saved, LLVMGetOperand(value, 0));
  else if (!spgc_values_add_choices(saved, value))
    return !LLVMIsUndef(value) &&
           (LLVMIsAInstruction(value) == NULL || !spgc_ir_is_intrinsic(value, "llvm.stacksave"));
  return false;
}

static const struct objection *stack_is_restored(LLVMValueRef call) {
  return spgc_ir_is_intrinsic(call, "llvm.stackrestore") &&
                 spgc_values_search(LLVMGetArgOperand(call, 0), is_foreign_place) != NULL
             ? &moved_stack
             : NULL;
}

const struct objection *spgc_check_frame(LLVMValueRef call) {
  static const struct rule rules[] = {JUDGE(no_refused_intrinsics), JUDGE(stack_is_restored)};
  return FIRST_OBJECTION(rules, call);
}
