#include "frontend-demo/backend/compile.h"

#include <string.h>

static LLVMMemoryBufferRef text_of(LLVMModuleRef module) {
  char *text = LLVMPrintModuleToString(module);
  LLVMMemoryBufferRef buffer =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "module");
  LLVMDisposeMessage(text);
  return buffer;
}

enum spgc_result lox_compile(LLVMModuleRef module, enum lox_stage stage,
                             const struct spgc_lower_options *options, LLVMMemoryBufferRef *buffer,
                             struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  if (stage != LOX_STAGE_IR)
    result = spgc_lower_module(module, options, error);
  if (result != SPGC_OK)
    return result;
  if (stage == LOX_STAGE_IR || stage == LOX_STAGE_LOWERED) {
    *buffer = text_of(module);
    return SPGC_OK;
  }
  LLVMCodeGenFileType kind = stage == LOX_STAGE_ASSEMBLY ? LLVMAssemblyFile : LLVMObjectFile;
  return spgc_emit_module(module, options, kind, buffer, error);
}
