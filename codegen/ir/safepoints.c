/* Between a definition and its use lie, on every path, the rest of the definition's block, whole
 * blocks, and the start of the use's block. A search goes back from the use and meets these blocks,
 * each once for all uses of a value. Where no live range crosses a safepoint, all searches together
 * take the time of a few walks over the function, however large it is. LLVM's own verifier of
 * safepoints keeps sets of all references for each block, and takes the square of it.
 */
#include "codegen/ir/safepoints.h"

#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/trip_count.h"
#include "support/fatal.h"

/* A point of a function: in the block with this number, behind so many of its safepoints. */
struct point {
  unsigned block, safepoints;
};

/* ---- The points of a function ---- */

static bool is_safepoint(const struct safepoints *safepoints, LLVMValueRef instruction) {
  return safepoints->kind == SAFEPOINTS_PLACED ? spgc_ir_is_statepoint(instruction)
                                               : spgc_ir_is_safepoint(instruction);
}

static void count(struct safepoints *safepoints) {
  unsigned next = 0;
  for (size_t i = 0; i < safepoints->loops.block_count; i++)
    IR_EACH_INSTRUCTION (instruction, safepoints->loops.blocks[i].block) {
      safepoints->before[next++] = safepoints->inside[i];
      safepoints->inside[i] += is_safepoint(safepoints, instruction);
    }
}

/* The target of an edge back that is no loop's header is taken for one, too. */
static void find_polls(struct safepoints *safepoints) {
  const struct loops *loops = &safepoints->loops;
  for (size_t i = 0; i < loops->loop_count; i++)
    safepoints->polls[loops->loops[i].header] = spgc_trip_count(loops, (int)i) == 0;
  for (size_t i = 0; i < loops->irregular_count; i++)
    safepoints->polls[loops->irregular_targets[i]] = true;
}

void spgc_safepoints_read(struct safepoints *safepoints, LLVMValueRef function,
                          enum safepoint_kind kind) {
  if (safepoints->function == function && safepoints->kind == kind)
    return;
  spgc_safepoints_free(safepoints);
  *safepoints = (struct safepoints){.function = function, .kind = kind};
  spgc_loops_find(&safepoints->loops, function);
  size_t blocks = safepoints->loops.block_count;
  for (size_t i = 0; i < blocks; i++)
    IR_EACH_INSTRUCTION (instruction, safepoints->loops.blocks[i].block)
      spgc_values_add(&safepoints->instructions, instruction);
  size_t instructions = safepoints->instructions.count;
  safepoints->before = spgc_zeroed(instructions, sizeof *safepoints->before);
  safepoints->phi_searched = spgc_zeroed(instructions, sizeof *safepoints->phi_searched);
  safepoints->inside = spgc_zeroed(blocks, sizeof *safepoints->inside);
  safepoints->searched = spgc_zeroed(blocks, sizeof *safepoints->searched);
  safepoints->polls = spgc_zeroed(blocks, sizeof *safepoints->polls);
  count(safepoints);
  if (kind == SAFEPOINTS_POSSIBLE)
    find_polls(safepoints);
}

void spgc_safepoints_free(struct safepoints *safepoints) {
  if (safepoints->function == NULL)
    return;
  spgc_loops_free(&safepoints->loops);
  spgc_values_free(&safepoints->instructions);
  free(safepoints->before);
  free(safepoints->phi_searched);
  free(safepoints->inside);
  free(safepoints->searched);
  free(safepoints->polls);
}

static unsigned number_of(const struct safepoints *safepoints, LLVMValueRef instruction) {
  unsigned number = spgc_values_find(&safepoints->instructions, instruction);
  spgc_require(number != VALUES_MISSING, "an instruction that was not read");
  return number;
}

/* Before the instruction. */
static struct point point_of(const struct safepoints *safepoints, LLVMValueRef instruction) {
  return (struct point){
      spgc_loops_number(&safepoints->loops, LLVMGetInstructionParent(instruction)),
      safepoints->before[number_of(safepoints, instruction)]};
}

/* Parameters are defined at the start of the first block. */
static struct point definition_of(const struct safepoints *safepoints, LLVMValueRef value) {
  if (LLVMIsAArgument(value))
    return (struct point){0, 0};
  struct point point = point_of(safepoints, value);
  point.safepoints += is_safepoint(safepoints, value);
  return point;
}

/* ---- The search ---- */

static void add(struct safepoints *safepoints, struct values *pending, unsigned block) {
  if (safepoints->searched[block] == safepoints->search)
    return;
  safepoints->searched[block] = safepoints->search;
  spgc_values_add(pending, LLVMBasicBlockAsValue(safepoints->loops.blocks[block].block));
}

/* True if a safepoint lies in a predecessor, or on the edge from it. */
static bool enter_predecessors(struct safepoints *safepoints, struct values *pending,
                               struct point definition, unsigned block) {
  const struct loops *loops = &safepoints->loops;
  IR_EACH_EDGE (edge, loops->blocks[block].block) {
    if (!spgc_loops_reaches(loops, spgc_ir_source(edge)))
      continue;
    unsigned from = spgc_loops_number(loops, spgc_ir_source(edge));
    bool defines = from == definition.block;
    if (safepoints->inside[from] > (defines ? definition.safepoints : 0) ||
        (from >= block && safepoints->polls[block]))
      return true;
    if (!defines)
      add(safepoints, pending, from);
  }
  return false;
}

/* What was searched for another use of the same value, without success, is not searched again. */
static bool search(struct safepoints *safepoints, struct point definition, struct point use) {
  struct values pending = {0};
  bool found = use.safepoints != 0;
  add(safepoints, &pending, use.block);
  for (unsigned i = 0; i < pending.count && !found; i++) {
    LLVMBasicBlockRef block = LLVMValueAsBasicBlock(pending.at[i]);
    found = enter_predecessors(safepoints, &pending, definition,
                               spgc_loops_number(&safepoints->loops, block));
  }
  spgc_values_free(&pending);
  return found;
}

static void begin(struct safepoints *safepoints, LLVMValueRef value) {
  safepoints->search += safepoints->definition != value;
  safepoints->definition = value;
}

bool spgc_safepoint_lies_between(struct safepoints *safepoints, LLVMValueRef value,
                                 LLVMValueRef use) {
  if (!spgc_loops_reaches(&safepoints->loops, LLVMGetInstructionParent(use)))
    return false;
  begin(safepoints, value);
  struct point definition = definition_of(safepoints, value), to = point_of(safepoints, use);
  bool found = definition.block == to.block ? to.safepoints > definition.safepoints
                                            : search(safepoints, definition, to);
  if (found)
    safepoints->definition = NULL;
  return found;
}

/* A phi that uses a value many times is met once. */
static bool lies_before_phi(struct safepoints *safepoints, LLVMValueRef value, LLVMValueRef phi) {
  begin(safepoints, value);
  unsigned *searched = &safepoints->phi_searched[number_of(safepoints, phi)];
  if (*searched == safepoints->search)
    return false;
  *searched = safepoints->search;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    if (LLVMGetIncomingValue(phi, i) == value &&
        spgc_safepoint_lies_between(safepoints, value,
                                    LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, i))))
      return true;
  return false;
}

LLVMValueRef spgc_user_behind_safepoint(struct safepoints *safepoints, LLVMValueRef value) {
  for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!spgc_loops_reaches(&safepoints->loops, LLVMGetInstructionParent(user)))
      continue;
    if (LLVMIsAPHINode(user) ? lies_before_phi(safepoints, value, user)
                             : spgc_safepoint_lies_between(safepoints, value, user))
      return user;
  }
  return NULL;
}
