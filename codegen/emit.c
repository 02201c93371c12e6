/* From a lowered module to object code or assembly. */
#include <string.h>

#include "codegen/object_file.h"
#include "codegen/target.h"
#include "spgc/lower.h"
#include "support/fatal.h"

/* LLVM lends its buffers for reading only, so the object is changed in a copy. */
static enum spgc_result make_stackmaps_writable(LLVMMemoryBufferRef *buffer, struct spgc_error *error) {
  size_t size = LLVMGetBufferSize(*buffer);
  LLVMMemoryBufferRef copy = LLVMCreateMemoryBufferWithMemoryRangeCopy(LLVMGetBufferStart(*buffer), size, "object");
  LLVMDisposeMemoryBuffer(*buffer);
  *buffer = copy;
  return object_file_make_writable((char *)LLVMGetBufferStart(copy), size, ".llvm_stackmaps", error);
}

enum spgc_result spgc_emit_module(LLVMModuleRef module, const struct spgc_lower_options *options,
                                  LLVMCodeGenFileType kind, LLVMMemoryBufferRef *buffer, struct spgc_error *error) {
  LLVMTargetMachineRef machine;
  enum spgc_result result = target_machine_create(options, &machine, error);
  if (result != SPGC_OK)
    return result;
  char *message = NULL;
  LLVMMemoryBufferRef emitted = NULL;
  LLVMBool failed = LLVMTargetMachineEmitToMemoryBuffer(machine, module, kind, &message, &emitted);
  LLVMDisposeTargetMachine(machine);
  if (failed) {
    spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0, "no code generated: %s", message);
    LLVMDisposeMessage(message);
    return SPGC_ERROR_UNSUPPORTED;
  }
  result = kind == LLVMObjectFile ? make_stackmaps_writable(&emitted, error) : SPGC_OK;
  if (result != SPGC_OK) {
    LLVMDisposeMemoryBuffer(emitted);
    return result;
  }
  *buffer = emitted;
  return SPGC_OK;
}
