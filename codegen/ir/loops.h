/* The loops of a function, which LLVM's C interface does not give.
 *
 * A *retreating* edge goes to a block that the numbering depth-first search had not left yet;
 * every cycle has one. If its target dominates its source, it is a *back edge*, its target the
 * *header* of a loop, its source a *latch*. Cycles with several entries do not count as loops. */
#ifndef SPGC_CODEGEN_IR_LOOPS_H
#define SPGC_CODEGEN_IR_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

#include "codegen/ir/values.h"

enum { NO_LOOP = -1 };

struct flow_block {
  LLVMBasicBlockRef block;
  unsigned dominator; /* the entry's is the entry */
  int loop;           /* the innermost, or NO_LOOP */
};

struct flow_edge {
  unsigned source, target;
};

struct loop {
  unsigned header;
  int parent;
  const unsigned *latches;
  size_t latch_count;
};

/* Omits unreachable blocks. Blocks are numbered in reverse postorder. */
struct loops {
  struct flow_block *blocks;
  struct loop *loops;          /* inner before outer */
  struct flow_edge *irregular; /* retreating edges that are not back edges */
  size_t block_count, loop_count, irregular_count, edge_count;
  struct values numbers; /* index = block number */
  unsigned *latches;     /* those of all loops */
  size_t latch_count;
};

void spgc_loops_find(struct loops *loops, LLVMValueRef function);
void spgc_loops_free(struct loops *loops);

/* VALUES_MISSING if it is unreachable. */
unsigned spgc_loops_number(const struct loops *loops, LLVMBasicBlockRef block);

unsigned spgc_loops_common_dominator(const struct loops *loops, unsigned a, unsigned b);

bool spgc_loops_dominates(const struct loops *loops, unsigned block, unsigned other);

bool spgc_loops_contains(const struct loops *loops, int loop, unsigned block);

#endif
