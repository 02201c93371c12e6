/* The loops of a function: what LLVM's C interface does not tell.
 *
 * A *retreating* edge goes to a block that the search which numbered the blocks was still in. Every
 * cycle has one. If its target dominates its source it is a *back edge*, its target the *header* of
 * a loop, its source a *latch*. Cycles that have several entries have no header and are no loops
 * here. Their retreating edges are listed all the same.
 */
#ifndef SPGC_CODEGEN_IR_LOOPS_H
#define SPGC_CODEGEN_IR_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

enum { NO_LOOP = -1 };

struct flow_block {
  LLVMBasicBlockRef block;
  unsigned dominator; /* the immediate one; the entry's is itself */
  int loop;           /* the innermost one around the block, or NO_LOOP */
};

struct loop {
  unsigned header;
  int parent; /* the loop around it, or NO_LOOP */
  const unsigned *latches;
  size_t latch_count;
};

/* The edges that lead to block i are those from at[first[i]] on, up to at[first[i + 1]]. */
struct flow_edges {
  unsigned *first;
  unsigned *at; /* their sources */
};

/* Blocks that cannot be reached are left out. A block's number is its place in reverse postorder.
 */
struct loops {
  struct flow_block *blocks;
  struct loop *loops;  /* inner ones before those around them */
  unsigned *irregular; /* sources of retreating edges that are no back edges */
  size_t block_count, loop_count, irregular_count;
  struct block_number *numbers; /* of the blocks, sorted by address */
  struct flow_edges predecessors;
  unsigned *latches; /* of all loops */
  size_t latch_count;
};

void spgc_loops_find(struct loops *loops, LLVMValueRef function);
void spgc_loops_free(struct loops *loops);

bool spgc_loops_reaches(const struct loops *loops, LLVMBasicBlockRef block);

/* The number of a block that is reached. */
unsigned spgc_loops_number(const struct loops *loops, LLVMBasicBlockRef block);

bool spgc_loops_dominates(const struct loops *loops, unsigned block, unsigned other);

/* The block lies in the loop or in one inside it. */
bool spgc_loops_contains(const struct loops *loops, int loop, unsigned block);

#endif
