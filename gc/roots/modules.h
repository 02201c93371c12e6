#ifndef SPGC_GC_ROOTS_MODULES_H
#define SPGC_GC_ROOTS_MODULES_H

#include "gc/mutator/handles.h"
#include "spgc/module.h"

bool spgc_modules_were_registered(void);

/* Visits the global variables with references of all registered modules. Returns their words, null
 * or not. */
uint64_t spgc_modules_visit(enum spgc_nulls nulls, spgc_root_visitor visit, void *context);

/* Whether the module is registered, or its destructor has run. False for a foreign version. */
bool spgc_module_has_come(const struct spgc_module *module);

/* Registers a module before its constructor does, unless it has come. An error ends the process;
 * the message names the file. */
void spgc_module_register_early(struct spgc_module *module, const char *file);

/* The bytes of the first stack map at `start`, of at most `size`. Maps of other modules and other
 * sections may follow in the segment. */
enum spgc_result spgc_stackmap_extent(const void *start, size_t size, size_t *extent,
                                      struct spgc_error *error);

#endif
