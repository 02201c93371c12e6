#include "codegen/ir/processor.h"

#include <stddef.h>
#include <string.h>

/* LLVM's C interface cannot be asked which processors there are; given an unknown one LLVM prints a
 * warning and takes none. This is what clang asks (llvm/TargetParser/X86TargetParser.h); a
 * StringRef passes as a pointer and a length, and zero is no processor. "generic" is the code
 * generator's own. */
unsigned
parse_x86_processor(const char *name, size_t length,
                    bool only_64_bit) __asm__("_ZN4llvm3X8612parseArchX86ENS_9StringRefEb");

bool spgc_processor_is_known(const char *name) {
  return strcmp(name, "generic") == 0 || parse_x86_processor(name, strlen(name), true) != 0;
}
