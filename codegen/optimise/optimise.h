#ifndef SPGC_CODEGEN_OPTIMISE_OPTIMISE_H
#define SPGC_CODEGEN_OPTIMISE_OPTIMISE_H

#include "codegen/ir/lowering.h"

enum { OPTIMISES_RECURSION = 2 }; /* below this level, a program waits for the code */

bool spgc_inlines_recursion(const struct lowering *lowering);

lowering_phase spgc_inline_recursion;

lowering_phase spgc_give_leaf_entries;

#endif
