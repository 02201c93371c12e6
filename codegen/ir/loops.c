#include "codegen/ir/loops.h"

#include <stdlib.h>

#include "codegen/ir/ir.h"

unsigned spgc_loops_number(const struct loops *loops, LLVMBasicBlockRef block) {
  return spgc_values_find(&loops->numbers, LLVMBasicBlockAsValue(block));
}

/* Depth-first search. `next` holds each block's next edge. */
static void number_blocks(struct loops *loops, LLVMValueRef function) {
  struct values met = {0}, path = {0}, postorder = {0};
  unsigned *next = spgc_zeroed(LLVMCountBasicBlocks(function), sizeof *next);
  spgc_values_add(&met, LLVMBasicBlockAsValue(LLVMGetEntryBasicBlock(function)));
  spgc_values_add(&path, met.at[0]);
  while (path.count != 0) {
    LLVMValueRef block = path.at[path.count - 1];
    LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMValueAsBasicBlock(block));
    unsigned *edge = &next[spgc_values_find(&met, block)];
    if (*edge == LLVMGetNumSuccessors(end)) {
      spgc_values_add(&postorder, block);
      path.count--;
      loops->edge_count += *edge;
      continue;
    }
    LLVMValueRef successor = LLVMBasicBlockAsValue(LLVMGetSuccessor(end, (*edge)++));
    if (!spgc_values_contain(&met, successor)) {
      spgc_values_add(&met, successor);
      spgc_values_add(&path, successor);
    }
  }
  for (unsigned i = postorder.count; i-- > 0;)
    spgc_values_add(&loops->numbers, postorder.at[i]);
  free(next);
  spgc_values_free(&met);
  spgc_values_free(&path);
  spgc_values_free(&postorder);
}

static void list_blocks(struct loops *loops) {
  loops->block_count = loops->numbers.count;
  loops->blocks = spgc_zeroed(loops->block_count, sizeof *loops->blocks);
  for (size_t i = 0; i < loops->block_count; i++)
    loops->blocks[i] = (struct flow_block){LLVMValueAsBasicBlock(loops->numbers.at[i]), 0, NO_LOOP};
}

unsigned spgc_loops_common_dominator(const struct loops *loops, unsigned a, unsigned b) {
  while (a != b) {
    while (a > b)
      a = loops->blocks[a].dominator;
    while (b > a)
      b = loops->blocks[b].dominator;
  }
  return a;
}

/* Cooper, Harvey and Kennedy, A Simple, Fast Dominance Algorithm: two passes if all cycles are
 * loops. */
static void find_dominators(struct loops *loops) {
  bool *known = spgc_zeroed(loops->block_count, sizeof *known);
  known[0] = true;
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned i = 1; i < loops->block_count; i++) {
      unsigned dominator = VALUES_MISSING;
      IR_EACH_EDGE (before, loops->blocks[i].block) {
        unsigned from = spgc_loops_number(loops, before);
        if (from != VALUES_MISSING && known[from])
          dominator = dominator == VALUES_MISSING
                          ? from
                          : spgc_loops_common_dominator(loops, dominator, from);
      }
      changed |= !known[i] || loops->blocks[i].dominator != dominator;
      loops->blocks[i].dominator = dominator;
      known[i] = true;
    }
  }
  free(known);
}

static int outermost(const struct loops *loops, int loop) {
  while (loops->loops[loop].parent != NO_LOOP)
    loop = loops->loops[loop].parent;
  return loop;
}

/* Takes the block, or the outermost loop around it, into the loop. */
static void take_block(struct loops *loops, int loop, unsigned block, struct values *waiting) {
  unsigned first = block;
  if (loops->blocks[block].loop == NO_LOOP) {
    loops->blocks[block].loop = loop;
  } else {
    int inner = outermost(loops, loops->blocks[block].loop);
    if (inner == loop)
      return;
    loops->loops[inner].parent = loop;
    first = loops->loops[inner].header;
  }
  IR_EACH_EDGE (before, loops->blocks[first].block)
    if (spgc_loops_number(loops, before) != VALUES_MISSING)
      spgc_values_add(waiting, LLVMBasicBlockAsValue(before));
}

/* An edge that does not lead forward in reverse postorder is retreating. */
static void sort_retreating_edges(struct loops *loops, unsigned target) {
  IR_EACH_EDGE (before, loops->blocks[target].block) {
    unsigned source = spgc_loops_number(loops, before);
    if (source == VALUES_MISSING || source < target)
      continue;
    if (spgc_loops_dominates(loops, target, source))
      loops->latches[loops->latch_count++] = source;
    else
      loops->irregular[loops->irregular_count++] = (struct flow_edge){source, target};
  }
}

static void find_loop(struct loops *loops, unsigned header) {
  struct values waiting = {0};
  size_t first = loops->latch_count;
  sort_retreating_edges(loops, header);
  if (loops->latch_count == first)
    return;
  int loop = (int)loops->loop_count++;
  loops->loops[loop] =
      (struct loop){header, NO_LOOP, loops->latches + first, loops->latch_count - first};
  loops->blocks[header].loop = loop;
  for (size_t i = first; i < loops->latch_count; i++)
    spgc_values_add(&waiting, loops->numbers.at[loops->latches[i]]);
  while (waiting.count != 0) {
    LLVMBasicBlockRef block = LLVMValueAsBasicBlock(waiting.at[--waiting.count]);
    take_block(loops, loop, spgc_loops_number(loops, block), &waiting);
  }
  spgc_values_free(&waiting);
}

/* A header that dominates another has the lower number, so this finds inner loops first. */
static void find_loops(struct loops *loops) {
  loops->latches = spgc_zeroed(loops->edge_count, sizeof *loops->latches);
  loops->irregular = spgc_zeroed(loops->edge_count, sizeof *loops->irregular);
  loops->loops = spgc_zeroed(loops->block_count, sizeof *loops->loops);
  for (size_t i = loops->block_count; i-- > 0;)
    find_loop(loops, (unsigned)i);
}

void spgc_loops_find(struct loops *loops, LLVMValueRef function) {
  *loops = (struct loops){0};
  number_blocks(loops, function);
  list_blocks(loops);
  find_dominators(loops);
  find_loops(loops);
}

void spgc_loops_free(struct loops *loops) {
  free(loops->blocks);
  free(loops->loops);
  free(loops->irregular);
  free(loops->latches);
  spgc_values_free(&loops->numbers);
  *loops = (struct loops){0};
}

bool spgc_loops_dominates(const struct loops *loops, unsigned block, unsigned other) {
  while (other > block)
    other = loops->blocks[other].dominator;
  return other == block;
}

bool spgc_loops_contains(const struct loops *loops, int loop, unsigned block) {
  int around = loops->blocks[block].loop;
  while (around != NO_LOOP && around < loop)
    around = loops->loops[around].parent;
  return around == loop;
}
