#include "codegen/ir/processor.h"

#include <stddef.h>
#include <string.h>

/* LLVM's C interface has no list of processors; given an unknown name LLVM prints a warning and
 * uses none. clang asks this function (llvm/TargetParser/X86TargetParser.h). A StringRef is passed
 * as a pointer and a length, and zero means no processor. "generic" is the code generator's own
 * name. */
unsigned
parse_x86_processor(const char *name, size_t length,
                    bool only_64_bit) __asm__("_ZN4llvm3X8612parseArchX86ENS_9StringRefEb");

bool spgc_processor_is_known(const char *name) {
  return strcmp(name, "generic") == 0 || parse_x86_processor(name, strlen(name), true) != 0;
}
