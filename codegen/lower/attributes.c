#include "codegen/ir/ir.h"
#include "codegen/ir/library.h"
#include "codegen/lower/phases.h"

/* llvm::MemoryEffects has two bits for each location: arguments, then inaccessible memory. */
enum { ARGUMENTS_READ_WRITE = 3, INACCESSIBLE_READ = 1 << 2, INACCESSIBLE_READ_WRITE = 3 << 2 };

/* LLVM's AllocFnKind. Not "zeroed": header and length are set. */
enum { ALLOCATES = 1 << 0 };

/* A new object aliases nothing, and programs see no change by a collection. */
static void declare_allocation(LLVMValueRef function) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
  spgc_ir_set_attribute(function, LLVMAttributeReturnIndex, "noalias", 0);
  spgc_ir_set_attribute(function, IR_ON_FUNCTION, "memory", INACCESSIBLE_READ_WRITE);
  spgc_ir_set_attribute(function, IR_ON_FUNCTION, "allockind", ALLOCATES);
  LLVMAddAttributeAtIndex(function, IR_ON_FUNCTION,
                          LLVMCreateStringAttribute(context, "alloc-family", 12, "spgc", 4));
}

static void declare_harmless(LLVMValueRef function, uint64_t memory) {
  spgc_ir_set_attribute(function, IR_ON_FUNCTION, "memory", memory);
  spgc_ir_set_attribute(function, IR_ON_FUNCTION, "nounwind", 0);
  spgc_ir_set_attribute(function, IR_ON_FUNCTION, "willreturn", 0);
}

static void declare_note(LLVMValueRef function) {
  spgc_ir_add_string(function, "gc-leaf-function");
  declare_harmless(function, INACCESSIBLE_READ_WRITE);
}

LLVMValueRef spgc_note_function(LLVMModuleRef module, const char *name, LLVMTypeRef type) {
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  if (function != NULL)
    return function;
  function = LLVMAddFunction(module, name, type);
  declare_note(function);
  return function;
}

static void declare_uncaptured(LLVMValueRef function, unsigned parameter) {
  bool is_old = spgc_ir_attribute_kind("nocapture") != 0; /* "captures" since LLVM 21; 0: none */
  spgc_ir_set_attribute(function, parameter, is_old ? "nocapture" : "captures", 0);
}

/* Merging two calls would make their constant arguments variables. */
void spgc_declare_copy(LLVMValueRef function) {
  enum { DESTINATION = 1, SOURCE };
  declare_note(function);
  spgc_ir_set_attribute(function, IR_ON_FUNCTION, "memory",
                        ARGUMENTS_READ_WRITE | INACCESSIBLE_READ_WRITE);
  spgc_ir_set_attribute(function, IR_ON_FUNCTION, "nomerge", 0);
  declare_uncaptured(function, DESTINATION);
  spgc_ir_set_attribute(function, DESTINATION, "writeonly", 0);
  declare_uncaptured(function, SOURCE);
  spgc_ir_set_attribute(function, SOURCE, "readonly", 0);
}

/* These claim that no memory is touched, so that a call may be moved or removed. */
static void claim_effects(LLVMValueRef value) {
  LLVMAttributeRef known = spgc_ir_attribute_at(value, IR_ON_FUNCTION, "memory");
  if (known != NULL)
    spgc_ir_set_attribute(value, IR_ON_FUNCTION, "memory",
                          LLVMGetEnumAttributeValue(known) | INACCESSIBLE_READ_WRITE);
  spgc_ir_remove_attribute(value, "speculatable");
}

void spgc_declare_safepoint(LLVMValueRef function) {
  if (!spgc_ir_is_marked_leaf(function))
    claim_effects(function);
  IR_EACH_INSTRUCTION_OF (instruction, function)
    if (spgc_ir_is_safepoint(instruction))
      claim_effects(instruction);
}

enum spgc_result spgc_declare_runtime(struct lowering *lowering, struct spgc_error *error) {
  static const char *const allocations[] = {"spgc_allocate", "spgc_allocate_array"};
  for (size_t i = 0; i < sizeof allocations / sizeof *allocations; i++) {
    LLVMValueRef function = LLVMGetNamedFunction(lowering->module, allocations[i]);
    if (function != NULL)
      declare_allocation(function);
  }
  LLVMValueRef stack_low = LLVMGetNamedFunction(lowering->module, "spgc_stack_low");
  if (stack_low != NULL)
    declare_harmless(stack_low, INACCESSIBLE_READ);
  return SPGC_OK;
}

/* A statepoint takes over the attributes of the arguments, but returns none of them. */
static void forget_returned(LLVMValueRef call) {
  unsigned returned = spgc_ir_attribute_kind("returned");
  for (unsigned i = 1; i <= LLVMGetNumArgOperands(call); i++)
    LLVMRemoveCallSiteEnumAttribute(call, i, returned);
}

/* A function that claims to touch no memory does once an allocation is inlined. A safepoint in it
 * may read every object, so a store of zero or of a first field must stay before the call. */
enum spgc_result spgc_forget_memory_effects(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module) {
    if (LLVMGetIntrinsicID(function) != 0)
      continue;
    spgc_ir_remove_attribute(function, "memory");
    IR_EACH_INSTRUCTION_OF (instruction, function)
      if (spgc_ir_is_safepoint(instruction)) {
        spgc_ir_remove_attribute(instruction, "memory");
        forget_returned(instruction);
      }
  }
  return SPGC_OK;
}

static void hide_from_optimiser(LLVMValueRef call) {
  spgc_ir_remove_attribute(call, "builtin"); /* it would override "nobuiltin" */
  spgc_ir_add_attribute(call, "nobuiltin");
}

/* The optimiser must not recognise leaves of the C library (ir/library.h) that read objects: it
 * would make library calls with parameters in address space 0. */
void spgc_keep_library_calls(struct lowering *lowering, LLVMValueRef instruction) {
  if (!spgc_ir_is_call(instruction) || spgc_library_call_of(instruction) != LIBRARY_LEAF ||
      !spgc_ir_call_passes_reference(instruction))
    return;
  spgc_ir_add_string(instruction, "gc-leaf-function");
  hide_from_optimiser(instruction);
}

/* RS4GC takes every function with the name and type of a C library function that LLVM knows for a
 * leaf. That is wrong if the module defines it, or if it calls back, such as atexit.
 *
 * A musttail call leaves no frame in which references could go stale. The marks are set late,
 * because inlining may make such a call ordinary, and LLVM replaces some library calls. */
void spgc_name_leaf_calls(struct lowering *lowering, LLVMValueRef instruction) {
  if (!spgc_ir_is_call(instruction) || spgc_ir_is_any_intrinsic(instruction))
    return;
  if (spgc_ir_call_is_musttail(instruction) || spgc_library_call_of(instruction) == LIBRARY_LEAF)
    spgc_ir_add_string(instruction, "gc-leaf-function");
  else if (spgc_ir_callee(instruction) != NULL && spgc_ir_is_safepoint(instruction))
    hide_from_optimiser(instruction);
}

enum { UWTABLE_SYNC = 1 };

/* Any function may have a managed frame below it. */
void spgc_demand_unwind_tables(struct lowering *lowering, LLVMValueRef function) {
  spgc_ir_set_attribute(function, IR_ON_FUNCTION, "uwtable", UWTABLE_SYNC);
}
