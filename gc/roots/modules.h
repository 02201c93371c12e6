#ifndef SPGC_GC_ROOTS_MODULES_H
#define SPGC_GC_ROOTS_MODULES_H

#include "gc/mutator/handles.h"
#include "spgc/module.h"

/* Whether any module was ever registered in the process. */
bool spgc_modules_were_registered(void);

/* Visits every word with a reference in the global variables of all registered modules. */
void spgc_modules_visit(spgc_root_visitor visit, void *context);

/* Whether the module is registered, or its destructor has run. False for a foreign version. */
bool spgc_module_has_come(const struct spgc_module *module);

/* Registers a module of a loaded file before its constructor does, unless it is registered, or its
 * destructor has run. An error ends the process; the message names the file. */
void spgc_module_register_early(struct spgc_module *module, const char *file);

/* Sets `extent` to the bytes of the first stack map at `start`, of at most `size`. For a module
 * that does not know the size of its section, because maps of other modules and other sections may
 * follow in the segment. */
enum spgc_result spgc_stackmap_extent(const void *start, size_t size, size_t *extent,
                                      struct spgc_error *error);

#endif
