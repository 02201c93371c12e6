/* Registered modules of generated code. */
#ifndef SPGC_GC_MODULES_H
#define SPGC_GC_MODULES_H

#include "gc/mutator/handles.h"
#include "spgc/module.h"

/* Every word of every registered module's global variables that hold references. */
void spgc_modules_visit(spgc_root_visitor visit, void *context);

/* Bytes of the first stack map at `start`, of which at most `size` bytes exist. For modules whose
 * section's size is not known: other modules' maps, and other sections, may follow in the same
 * segment. */
enum spgc_result spgc_stackmap_extent(const void *start, size_t size, size_t *extent,
                                      struct spgc_error *error);

#endif
