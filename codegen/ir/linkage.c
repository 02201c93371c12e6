#include "codegen/ir/linkage.h"

bool spgc_ir_is_local(LLVMValueRef global) {
  LLVMLinkage linkage = LLVMGetLinkage(global);
  return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
}

bool spgc_ir_is_definitive(LLVMValueRef global) {
  if (LLVMIsDeclaration(global))
    return false;
  switch (LLVMGetLinkage(global)) {
  case LLVMExternalLinkage:
  case LLVMInternalLinkage:
  case LLVMPrivateLinkage:
  case LLVMLinkOnceODRLinkage:
  case LLVMWeakODRLinkage:
  case LLVMAvailableExternallyLinkage: return true;
  default: return false;
  }
}
