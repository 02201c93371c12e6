#ifndef SPGC_GC_ROOTS_MODULES_H
#define SPGC_GC_ROOTS_MODULES_H

#include "gc/mutator/handles.h"
#include "spgc/module.h"

bool spgc_modules_were_registered(void);

/* Visits global variables with references. Returns their words, null or not. */
uint64_t spgc_modules_visit(enum spgc_nulls nulls, spgc_root_visitor visit, void *context);

/* Also if its destructor has run. False for a foreign version. */
bool spgc_module_has_come(const struct spgc_module *module);

/* Called before its constructor, unless it has come. An error ends the process, with a message that
 * names the file. */
void spgc_module_register_early(struct spgc_module *module, const char *file);

/* The bytes of the first stack map at `start`, at most `size`. Other maps and sections may
 * follow. */
enum spgc_result spgc_stackmap_extent(const void *start, size_t size, size_t *extent,
                                      struct spgc_error *error);

#endif
