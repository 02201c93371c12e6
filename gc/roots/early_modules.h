/* A module's constructor registers it (spgc_module_load). Earlier constructors may run managed code
 * before, whose frames and variables hold roots. So all loaded files' modules are registered when
 * the heap starts; a file's when a walk meets its code; and all when a walk meets the loader, which
 * then runs constructors. Notes in the files lead to them (spgc/module.h). A module that cannot be
 * registered ends the process. */
#ifndef SPGC_GC_ROOTS_EARLY_MODULES_H
#define SPGC_GC_ROOTS_EARLY_MODULES_H

/* Acts if a file was loaded since the last call. Takes the loader's locks: the caller holds no
 * lock, and no thread that stops the world waits for it. */
void spgc_early_modules_register(void);

#endif
