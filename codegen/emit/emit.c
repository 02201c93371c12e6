#include <string.h>

#include "codegen/emit/module_note.h"
#include "codegen/emit/object_file.h"
#include "codegen/emit/target.h"
#include "codegen/ir/diagnostics.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "spgc/lower.h"
#include "support/fatal.h"

/* LLVM's buffers are read-only, so a copy is changed. */
static enum spgc_result prepare_stackmaps(LLVMMemoryBufferRef *buffer, struct spgc_error *error) {
  static const char stackmaps[] = ".llvm_stackmaps";
  size_t size = LLVMGetBufferSize(*buffer);
  LLVMMemoryBufferRef copy =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(LLVMGetBufferStart(*buffer), size, "object");
  LLVMDisposeMemoryBuffer(*buffer);
  *buffer = copy;
  char *bytes = (char *)LLVMGetBufferStart(copy);
  enum spgc_result result = spgc_object_file_refer_locally(bytes, size, stackmaps, error);
  return result == SPGC_OK ? spgc_object_file_make_writable(bytes, size, stackmaps, error) : result;
}

/* An error in inline assembly shows only now, and the object then lacks that code. */
static enum spgc_result generate(LLVMModuleRef module, LLVMTargetMachineRef machine,
                                 LLVMCodeGenFileType kind, LLVMMemoryBufferRef *emitted,
                                 struct spgc_error *error) {
  struct diagnostics diagnostics;
  char *message = NULL;
  spgc_diagnostics_catch(&diagnostics, LLVMGetModuleContext(module));
  LLVMBool failed = LLVMTargetMachineEmitToMemoryBuffer(machine, module, kind, &message, emitted);
  enum spgc_result result = spgc_diagnostics_release(&diagnostics, SPGC_OK, error);
  if (failed) {
    *emitted = NULL;
    if (result == SPGC_OK)
      result = spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0, "no code generated: %s", message);
    LLVMDisposeMessage(message);
  }
  return result;
}

static bool is_called(LLVMValueRef function) {
  IR_EACH_USER (user, function)
    if (spgc_ir_is_call(user) && spgc_ir_callee(user) == function)
      return true;
  return false;
}

/* The lowering gives a module with managed functions a record, and leaves no call of an
 * allocation. */
static bool was_lowered(LLVMModuleRef module) {
  static const char *const allocations[] = {"spgc_allocate", "spgc_allocate_array"};
  bool has_record = LLVMGetNamedGlobal(module, "spgc.module") != NULL;
  IR_EACH_FUNCTION (function, module) {
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function) && !has_record)
      return false;
    for (size_t i = 0; i < sizeof allocations / sizeof *allocations; i++)
      if (spgc_ir_name_is(function, allocations[i]) && is_called(function))
        return false;
  }
  return true;
}

static enum spgc_result check_call(LLVMModuleRef module, const struct spgc_lower_options *options,
                                   struct spgc_error *error) {
  if (options->last_stage != NULL)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "last_stage is set: a module that was lowered in part is not emitted");
  if (options->barriers == SPGC_BARRIERS_CARDS && !was_lowered(module))
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "the module was not lowered, so the collector would not find its "
                          "references: call spgc_lower_module first");
  return SPGC_OK;
}

enum spgc_result spgc_emit_module(LLVMModuleRef module, const struct spgc_lower_options *options,
                                  LLVMCodeGenFileType kind, LLVMMemoryBufferRef *buffer,
                                  struct spgc_error *error) {
  struct spgc_lower_options known;
  LLVMTargetMachineRef machine;
  enum spgc_result result = spgc_lower_options_read(&known, options, "spgc_emit_module", error);
  if (result == SPGC_OK)
    result = check_call(module, &known, error);
  if (result == SPGC_OK)
    result = spgc_target_machine_create(&known, &machine, error);
  if (result != SPGC_OK)
    return result;
  LLVMMemoryBufferRef emitted = NULL;
  spgc_module_note_add(module);
  result = generate(module, machine, kind, &emitted, error);
  LLVMDisposeTargetMachine(machine);
  if (result == SPGC_OK && kind == LLVMObjectFile)
    result = prepare_stackmaps(&emitted, error);
  if (result == SPGC_OK)
    *buffer = emitted;
  else if (emitted != NULL)
    LLVMDisposeMemoryBuffer(emitted);
  return result;
}
