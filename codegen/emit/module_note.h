/* The ELF note that leads to a module's record (spgc/module.h). */
#ifndef SPGC_CODEGEN_EMIT_MODULE_NOTE_H
#define SPGC_CODEGEN_EMIT_MODULE_NOTE_H

#include <llvm-c/Core.h>

/* For a module lowered ahead of time, with a record but no note. The JIT refuses noted objects. */
void spgc_module_note_add(LLVMModuleRef module);

/* Undefined in each object that is lowered for the JIT, so that a linker refuses the object and
 * says why. The JIT defines it. */
#define SPGC_JIT_MARK "spgc_code_for_the_jit_cannot_be_linked"

#endif
