#include "codegen/check/check.h"

#include "codegen/ir/ir.h"
#include "codegen/ir/variable.h"

static const struct objection interior = {
    2,
    "an interior pointer is stored in a local variable that is in memory, and its contents count "
    "as the address of an object",
    "keep the object and an index instead, or do not pass the variable's address on (make the "
    "function that takes it always_inline)"};

static const struct objection not_roots[] = {
    [VARIABLE_DYNAMIC] =
        {13, "a local variable of varying size holds references, and a stack map cannot list it",
         "give it a constant size at the start of the function, or allocate an object"},
    [VARIABLE_LATE] =
        {13,
         "a local variable holds references and is allocated outside the function's first block, "
         "so a stack map cannot list it",
         "allocate it in the first block, or allocate an object"},
    [VARIABLE_MISALIGNED] = {14, "a reference in a local variable is not aligned to 8 bytes",
                             "do not pack structures with references"},
    [VARIABLE_SCATTERED] =
        {14, "a local variable holds references in more places than a stack map should list",
         "allocate an object, or keep the references in a separate array"},
};

/* Also stores of interior pointers into variables of unmanaged functions, because managed code may
 * read them. */
const struct objection *spgc_check_variable(LLVMValueRef instruction) {
  LLVMValueRef alloca = LLVMIsAAllocaInst(instruction);
  struct write write = spgc_write_of(instruction);
  bool stores = write.address != NULL && spgc_ir_is_derived(write.value);
  if (stores)
    alloca = spgc_ir_underlying_alloca(write.address);
  if (alloca == NULL)
    return NULL;
  struct variable variable;
  spgc_variable_read(alloca, LLVMGetModuleDataLayout(spgc_ir_module_of(alloca)), &variable);
  if (stores && variable.run_count != 0)
    return &interior;
  bool is_root = spgc_ir_function_is_managed(spgc_ir_function_of(alloca));
  return is_root && variable.fault != VARIABLE_CAN_BE_ROOT ? &not_roots[variable.fault] : NULL;
}
