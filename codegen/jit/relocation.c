#include "codegen/jit/jit_relocation.h"

#include "codegen/ir/processor.h"
#include "support/fatal.h"

const char spgc_jit_too_far[] =
    "it is too far away; a variable outside of the module must not be dso_local or hidden";
const char spgc_jit_cut_off[] = "its bytes are not all in the section";
const char spgc_jit_misaligned[] = "it is not aligned as the instruction needs it";

const struct jit_relocator *spgc_jit_relocator_of_host(void) {
  static const struct jit_relocator *const relocators[] = {&spgc_jit_relocator_x86_64,
                                                           &spgc_jit_relocator_aarch64};
  const struct jit_relocator *found = NULL;
  for (size_t i = 0; i < sizeof relocators / sizeof *relocators; i++)
    if (relocators[i]->elf_machine == spgc_processor_of_host()->elf_machine)
      found = relocators[i];
  spgc_require(found != NULL, "the JIT has no relocations for this processor");
  return found;
}
