/* The ELF note that leads to the record of a module (spgc/module.h). */
#ifndef SPGC_CODEGEN_EMIT_MODULE_NOTE_H
#define SPGC_CODEGEN_EMIT_MODULE_NOTE_H

#include <llvm-c/Core.h>

/* Adds it to a module that was lowered ahead of time, unless the module has no record, or the note
 * already. Objects with the note are refused by the JIT. */
void spgc_module_note_add(LLVMModuleRef module);

#endif
