/* The ELF note that leads to the record of a module (spgc/module.h). */
#ifndef SPGC_CODEGEN_EMIT_MODULE_NOTE_H
#define SPGC_CODEGEN_EMIT_MODULE_NOTE_H

#include <llvm-c/Core.h>

/* For a module that was lowered ahead of time and has a record but no note. The JIT refuses objects
 * with the note. */
void spgc_module_note_add(LLVMModuleRef module);

#endif
