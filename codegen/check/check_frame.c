/* Rules for intrinsics that leave the frame of a managed function or move its stack pointer. A
 * stack map says where the references of a frame lie only while the frame is as LLVM laid it out.
 */
#include "codegen/check/check.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"

static const struct objection *frame_is_returned_from(LLVMValueRef call) {
  static const struct objection objection = {
      36,
      "the frame of a managed function is left by a jump, which brings back registers of before a "
      "collection",
      "leave functions by spgc_leave (spgc/protect.h) or by an exception"};
  bool leaves = spgc_ir_is_intrinsic(call, "llvm.eh.return.") ||
                spgc_ir_is_intrinsic(call, "llvm.eh.sjlj.longjmp");
  return leaves ? &objection : NULL;
}

static const struct objection moved_stack = {
    36, "the stack pointer or frame pointer is moved, so that no stack map describes the frame",
    "restore only what llvm.stacksave gave in the same function; change stacks by "
    "spgc_fiber_switch (spgc/fiber.h)"};

/* The registers that have names are the stack pointer and the frame pointer. */
static const struct objection *no_written_register(LLVMValueRef call) {
  return spgc_ir_is_intrinsic(call, "llvm.write_register.") ? &moved_stack : NULL;
}

static const struct objection *stack_is_restored(LLVMValueRef call) {
  if (!spgc_ir_is_intrinsic(call, "llvm.stackrestore"))
    return NULL;
  struct values saved = {0};
  bool is_own = true;
  spgc_values_add(&saved, LLVMGetArgOperand(call, 0));
  for (unsigned i = 0; i < saved.count && is_own; i++) {
    LLVMValueRef value = saved.at[i];
    if (LLVMIsAFreezeInst(value) != NULL)
      spgc_values_add_new(&saved, LLVMGetOperand(value, 0));
    else if (!spgc_values_add_choices(&saved, value))
      is_own = LLVMIsUndef(value) ||
               (LLVMIsAInstruction(value) != NULL && spgc_ir_is_intrinsic(value, "llvm.stacksave"));
  }
  spgc_values_free(&saved);
  return is_own ? NULL : &moved_stack;
}

const struct objection *spgc_check_frame(LLVMValueRef call) {
  static check_rule *const rules[] = {frame_is_returned_from, no_written_register,
                                      stack_is_restored};
  return FIRST_OBJECTION(rules, call);
}
