#include "spgc/lower.h"

#include <llvm/Config/llvm-config.h>

#include "support/build_info.h"

const struct spgc_llvm_version *spgc_llvm_version(void) {
  static const struct spgc_llvm_version version = {
      .size = sizeof version, .text = SPGC_BUILD_VERSION, .llvm = LLVM_VERSION_STRING};
  return &version;
}
