/* Memory of other allocators, taken for objects. A port that is half done still declares
 * `ptr addrspace(1) @malloc(i64)`; its first store would mark a card that does not exist. */

#include "codegen/check/check.h"
#include "codegen/ir/ir.h"

static const struct objection other_allocator = {
    52,
    "it takes memory of another allocator for an object, and the first store into that would mark "
    "a card that does not exist",
    "call spgc_allocate(ptr type), or spgc_allocate_array(ptr type, i64 length); a function of "
    "your own that allocates objects is declared without noalias, allockind and allocsize; memory "
    "that is no object is a ptr"};

static bool is_known(LLVMValueRef function) {
  static const char *const names[] = {"malloc",        "calloc",   "realloc", "reallocarray",
                                      "aligned_alloc", "memalign", "valloc",  "pvalloc",
                                      "strdup",        "strndup",  "mmap"};
  static const char *const prefixes[] = {"GC_", "_Znw", "_Zna"};
  return IR_NAME_IS_AMONG(function, names) || IR_NAME_STARTS_WITH_ANY(function, prefixes);
}

static bool is_called_allocator(LLVMValueRef call) {
  return spgc_ir_call_or_callee_has(call, LLVMAttributeReturnIndex, "noalias") ||
         spgc_ir_call_or_callee_has(call, IR_ON_FUNCTION, "allockind") ||
         spgc_ir_call_or_callee_has(call, IR_ON_FUNCTION, "allocsize");
}

/* What a module defines itself is seen by other rules. */
const struct objection *spgc_check_allocator(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_is_call(call) ? spgc_ir_callee(call) : NULL;
  if (callee == NULL || !LLVMIsDeclaration(callee) || LLVMGetIntrinsicID(callee) != 0 ||
      !spgc_ir_is_reference(call) || spgc_ir_name_starts_with(callee, "spgc_"))
    return NULL;
  return is_known(callee) || is_called_allocator(call) ? &other_allocator : NULL;
}
