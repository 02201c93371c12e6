#include "codegen/ir/kept.h"

#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/trip_count.h"
#include "codegen/ir/values.h"

/* A point of a function: in the block with this number, behind so many of its safepoints. */
struct point {
  unsigned block, safepoints;
};

static void count_safepoints(struct kept *kept) {
  unsigned next = 0;
  for (size_t i = 0; i < kept->loops.block_count; i++) {
    unsigned safepoints = 0;
    IR_EACH_INSTRUCTION (instruction, kept->loops.blocks[i].block) {
      kept->before[next++] = safepoints;
      safepoints += spgc_ir_is_safepoint(instruction);
    }
    kept->safepoints[i] = safepoints;
  }
}

/* The target of an edge back that is no loop's header is taken for one, too. */
static void find_polls(struct kept *kept) {
  for (size_t i = 0; i < kept->loops.loop_count; i++)
    kept->polls[kept->loops.loops[i].header] = spgc_trip_count(&kept->loops, (int)i) == 0;
  for (size_t i = 0; i < kept->loops.irregular_count; i++)
    kept->polls[kept->loops.irregular_targets[i]] = true;
}

void spgc_kept_open(struct kept *kept, LLVMValueRef function) {
  *kept = (struct kept){0};
  spgc_loops_find(&kept->loops, function);
  for (size_t i = 0; i < kept->loops.block_count; i++)
    IR_EACH_INSTRUCTION (instruction, kept->loops.blocks[i].block)
      spgc_values_add(&kept->instructions, instruction);
  kept->before = spgc_zeroed(kept->instructions.count, sizeof *kept->before);
  kept->safepoints = spgc_zeroed(kept->loops.block_count, sizeof *kept->safepoints);
  kept->searched = spgc_zeroed(kept->loops.block_count, sizeof *kept->searched);
  kept->polls = spgc_zeroed(kept->loops.block_count, sizeof *kept->polls);
  count_safepoints(kept);
  find_polls(kept);
}

void spgc_kept_close(struct kept *kept) {
  spgc_loops_free(&kept->loops);
  spgc_values_free(&kept->instructions);
  free(kept->before);
  free(kept->safepoints);
  free(kept->searched);
  free(kept->polls);
}

/* Before the instruction. */
static struct point point_of(const struct kept *kept, LLVMValueRef instruction) {
  return (struct point){spgc_loops_number(&kept->loops, LLVMGetInstructionParent(instruction)),
                        kept->before[spgc_values_find(&kept->instructions, instruction)]};
}

static struct point definition_of(const struct kept *kept, LLVMValueRef value) {
  if (LLVMIsAArgument(value))
    return (struct point){0, 0};
  struct point point = point_of(kept, value);
  point.safepoints += spgc_ir_is_safepoint(value);
  return point;
}

/* Adds the predecessors that this question has not come to. True if a poll lies between. */
static bool enter_predecessors(struct kept *kept, struct values *pending, unsigned block) {
  const struct flow_edges *edges = &kept->loops.predecessors;
  for (unsigned e = edges->first[block]; e < edges->first[block + 1]; e++) {
    unsigned from = edges->at[e];
    if (from >= block && kept->polls[block])
      return true;
    if (kept->searched[from] == kept->questions)
      continue;
    kept->searched[from] = kept->questions;
    spgc_values_add(pending, LLVMBasicBlockAsValue(kept->loops.blocks[from].block));
  }
  return false;
}

/* The search goes back from the use, and no further than the definition. */
static bool search(struct kept *kept, struct point definition, struct point use) {
  struct values pending = {0};
  kept->questions++;
  bool found = use.safepoints != 0 || enter_predecessors(kept, &pending, use.block);
  for (unsigned i = 0; i < pending.count && !found; i++) {
    unsigned block = spgc_loops_number(&kept->loops, LLVMValueAsBasicBlock(pending.at[i]));
    bool is_start = block == definition.block;
    found = kept->safepoints[block] > (is_start ? definition.safepoints : 0) ||
            (!is_start && enter_predecessors(kept, &pending, block));
  }
  spgc_values_free(&pending);
  return found;
}

bool spgc_is_kept_until(struct kept *kept, LLVMValueRef value, LLVMValueRef point) {
  if (!spgc_loops_reaches(&kept->loops, LLVMGetInstructionParent(point)))
    return false;
  struct point definition = definition_of(kept, value), use = point_of(kept, point);
  return definition.block == use.block ? use.safepoints > definition.safepoints
                                       : search(kept, definition, use);
}
