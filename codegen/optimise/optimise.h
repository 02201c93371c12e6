/* Optimisations of functions that call themselves, as phases of the lowering. */
#ifndef SPGC_CODEGEN_OPTIMISE_OPTIMISE_H
#define SPGC_CODEGEN_OPTIMISE_OPTIMISE_H

#include "codegen/ir/lowering.h"

enum { OPTIMISES_RECURSION = 2 }; /* from this level on; below it, a program waits for the code */

/* recursion.c */
lowering_phase spgc_inline_recursion;

/* leaf_entry.c */
lowering_phase spgc_give_leaf_entries;

#endif
