/* Modules of loaded files whose constructors have not run yet.
 *
 * A module's constructor registers it (spgc_module_load). Earlier constructors, and those of
 * libraries that call functions of other files, may run managed code before, whose frames and
 * variables hold roots. So the modules of all loaded files are registered when the heap starts;
 * those of a file when a walk meets its code; and all when a walk meets the loader, which is then
 * running constructors. Notes in the files lead to them (spgc/module.h). A module that cannot be
 * registered ends the process. */
#ifndef SPGC_GC_ROOTS_EARLY_MODULES_H
#define SPGC_GC_ROOTS_EARLY_MODULES_H

/* If a file was loaded since the last call; later also those that walks meet. Takes the loader's
 * locks: the caller holds no lock, and no thread that stops the world waits for it. */
void spgc_early_modules_register(void);

#endif
