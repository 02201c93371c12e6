#ifndef SPGC_GC_ROOTS_MODULES_H
#define SPGC_GC_ROOTS_MODULES_H

#include "gc/mutator/handles.h"
#include "spgc/module.h"

bool spgc_modules_were_registered(void);

/* Visits global variables with references. */
void spgc_modules_visit(enum spgc_nulls nulls, spgc_root_visitor visit, void *context);

/* The bytes of the first stack map at `start`, at most `size`. Other maps and sections may
 * follow. */
enum spgc_result spgc_stackmap_extent(const void *start, size_t size, size_t *extent,
                                      struct spgc_error *error);

/* A module's constructor registers it (spgc_module_load), but earlier ones may run its code, whose
 * frames and variables hold roots. So all loaded files' modules are registered when the heap
 * starts; a file's when a walk meets its code; and all when a walk meets the loader, which then
 * runs constructors. Notes in the files lead to them (spgc/module.h). A module that cannot be
 * registered ends the process.
 *
 * Acts if a file was loaded since the last call. Takes the loader's locks: the caller holds no
 * lock, and no thread that stops the world waits for it. */
void spgc_early_modules_register(void);

#endif
