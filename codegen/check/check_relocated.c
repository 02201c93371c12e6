/* Whether each use of a reference comes before the next safepoint behind its definition: behind
 * that, only what the statepoint relocated may be used.
 *
 * Between a definition and its use lie, on every path, the rest of the definition's block, whole
 * blocks, and the start of the use's block. A search goes back from the use and meets these blocks.
 * Because no live range crosses a statepoint, all searches together take the time of a few walks
 * over the function, however large it is. LLVM's own verifier of safepoints keeps sets of all
 * references for each block, and takes the square of it.
 */
#include <stdlib.h>
#include <string.h>

#include "codegen/check/check.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/values.h"
#include "support/fatal.h"

/* A point of a function: in the block with this number, behind so many of its statepoints. */
struct point {
  unsigned block, statepoints;
};

/* A function, as its references see it. */
struct body {
  struct values blocks;       /* all, in order: a block's place is its number */
  unsigned *statepoints;      /* of each block */
  unsigned *searched;         /* of each block: the last search that came from it, or 0 */
  struct values instructions; /* those that make or use references */
  struct point *points;       /* of each of them; a statepoint's own lies before it */
  unsigned *met;              /* of each that is a phi: the last search that met it, or 0 */
  struct values pending;      /* blocks that the search has yet to go back from */
};

static bool holds_reference(LLVMValueRef value) {
  return (LLVMIsAInstruction(value) != NULL || LLVMIsAArgument(value) != NULL) &&
         spgc_ir_type_contains_reference(LLVMTypeOf(value));
}

static bool touches_references(LLVMValueRef instruction) {
  if (holds_reference(instruction))
    return true;
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (holds_reference(LLVMGetOperand(instruction, (unsigned)i)))
      return true;
  return false;
}

/* ---- The points of a function ---- */

static void find_instructions(struct body *body, LLVMValueRef function) {
  IR_EACH_BLOCK (block, function) {
    spgc_values_add(&body->blocks, LLVMBasicBlockAsValue(block));
    IR_EACH_INSTRUCTION (instruction, block)
      if (touches_references(instruction))
        spgc_values_add(&body->instructions, instruction);
  }
}

/* In the order in which they were found. True if there are statepoints. */
static bool find_points(struct body *body, LLVMValueRef function) {
  unsigned next = 0, number = 0;
  bool any = false;
  IR_EACH_BLOCK (block, function) {
    unsigned statepoints = 0;
    IR_EACH_INSTRUCTION (instruction, block) {
      if (next < body->instructions.count && body->instructions.at[next] == instruction)
        body->points[next++] = (struct point){number, statepoints};
      statepoints += spgc_ir_is_statepoint(instruction);
    }
    body->statepoints[number++] = statepoints;
    any = any || statepoints != 0;
  }
  return any;
}

static unsigned place_of(const struct body *body, LLVMValueRef instruction) {
  unsigned place = spgc_values_find(&body->instructions, instruction);
  spgc_require(place != VALUES_MISSING, "an instruction with references was not found");
  return place;
}

static struct point point_of(const struct body *body, LLVMValueRef instruction) {
  return body->points[place_of(body, instruction)];
}

/* Arguments are defined at the start of the first block. */
static struct point definition_of(const struct body *body, LLVMValueRef reference) {
  return LLVMIsAArgument(reference) ? (struct point){0, 0} : point_of(body, reference);
}

static struct point end_of(const struct body *body, LLVMBasicBlockRef block) {
  unsigned number = spgc_values_find(&body->blocks, LLVMBasicBlockAsValue(block));
  spgc_require(number != VALUES_MISSING, "a block was not found");
  return (struct point){number, body->statepoints[number]};
}

/* ---- The search ---- */

static bool is_terminator(LLVMValueRef user) {
  return LLVMIsAInstruction(user) != NULL && LLVMIsATerminatorInst(user) != NULL;
}

/* False if a predecessor, other than the block of the definition, has a statepoint. */
static bool enter_predecessors(struct body *body, LLVMValueRef block, struct point definition,
                               unsigned search) {
  for (LLVMUseRef use = LLVMGetFirstUse(block); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!is_terminator(user))
      continue;
    struct point end = end_of(body, LLVMGetInstructionParent(user));
    if (end.block == definition.block)
      continue;
    if (end.statepoints != 0)
      return false;
    if (body->searched[end.block] != search)
      spgc_values_add(&body->pending, body->blocks.at[end.block]);
    body->searched[end.block] = search;
  }
  return true;
}

/* `search` is another number for each definition, so that the blocks that lie between it and
 * several uses are met once. */
static bool is_used_in_time(struct body *body, struct point definition, struct point use,
                            unsigned search) {
  if (definition.block == use.block)
    return definition.statepoints == use.statepoints;
  if (use.statepoints != 0 || definition.statepoints != body->statepoints[definition.block])
    return false;
  bool in_time = true;
  body->pending.count = 0;
  if (body->searched[use.block] != search)
    spgc_values_add(&body->pending, body->blocks.at[use.block]);
  body->searched[use.block] = search;
  while (body->pending.count != 0 && in_time)
    in_time = enter_predecessors(body, body->pending.at[--body->pending.count], definition, search);
  return in_time;
}

/* A phi uses what comes in at the end of the block that it comes from. One that uses a reference
 * many times is met once. */
static bool is_used_in_time_by_phi(struct body *body, LLVMValueRef reference,
                                   struct point definition, LLVMValueRef phi, unsigned search) {
  unsigned *met = &body->met[place_of(body, phi)];
  if (*met == search)
    return true;
  *met = search;
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    if (LLVMGetIncomingValue(phi, i) == reference &&
        !is_used_in_time(body, definition, end_of(body, LLVMGetIncomingBlock(phi, i)), search))
      return false;
  return true;
}

/* The first user behind a safepoint that the search finds, or NULL. */
static LLVMValueRef find_late_user(struct body *body, LLVMValueRef reference, unsigned search) {
  struct point definition = definition_of(body, reference);
  for (LLVMUseRef use = LLVMGetFirstUse(reference); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    bool in_time = LLVMIsAPHINode(user)
                       ? is_used_in_time_by_phi(body, reference, definition, user, search)
                       : is_used_in_time(body, definition, point_of(body, user), search);
    if (!in_time)
      return user;
  }
  return NULL;
}

/* ---- What needs no relocation ---- */

/* Adds the operands that the value is a choice or a combination of, or an address in. False if it
 * comes from elsewhere. */
static bool add_sources(struct values *sources, LLVMValueRef value) {
  bool all = LLVMIsAPHINode(value) || LLVMIsASelectInst(value) || LLVMIsAInsertElementInst(value) ||
             LLVMIsAInsertValueInst(value) || LLVMIsAShuffleVectorInst(value);
  if (LLVMIsAInstruction(value) == NULL)
    return false;
  if (!all && LLVMIsAGetElementPtrInst(value) == NULL && LLVMIsAFreezeInst(value) == NULL &&
      LLVMIsAExtractElementInst(value) == NULL && LLVMIsAExtractValueInst(value) == NULL &&
      LLVMIsABitCastInst(value) == NULL)
    return false;
  for (int i = 0; i < (all ? LLVMGetNumOperands(value) : 1); i++) {
    LLVMValueRef operand = LLVMGetOperand(value, (unsigned)i);
    if (spgc_ir_type_contains_reference(LLVMTypeOf(operand)) && !LLVMIsConstant(operand) &&
        !spgc_values_contain(sources, operand))
      spgc_values_add(sources, operand);
  }
  return true;
}

/* RS4GC leaves such values alone, because they are no addresses of objects. */
static bool comes_from_constants(LLVMValueRef reference) {
  struct values sources = {0};
  bool holds = true;
  spgc_values_add(&sources, reference);
  for (unsigned i = 0; i < sources.count && holds; i++)
    holds = add_sources(&sources, sources.at[i]);
  spgc_values_free(&sources);
  return holds;
}

/* ---- The check ---- */

static enum spgc_result check_reference(struct body *body, LLVMValueRef reference, unsigned search,
                                        struct spgc_error *error) {
  if (!holds_reference(reference))
    return SPGC_OK;
  LLVMValueRef user = find_late_user(body, reference, search);
  if (user == NULL || comes_from_constants(reference))
    return SPGC_OK;
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
  char *text = LLVMPrintValueToString(user);
  enum spgc_result result = spgc_error_set(
      error, SPGC_ERROR_REJECTED, 0,
      "LLVM cannot give the module statepoints: function '%s': `%s` uses a reference behind a "
      "safepoint that did not relocate it",
      LLVMGetValueName(function), text + strspn(text, " "));
  LLVMDisposeMessage(text);
  return result;
}

static enum spgc_result check_references(struct body *body, LLVMValueRef function,
                                         struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  unsigned search = 0;
  for (unsigned i = 0; i < LLVMCountParams(function) && result == SPGC_OK; i++)
    result = check_reference(body, LLVMGetParam(function, i), ++search, error);
  for (unsigned i = 0; i < body->instructions.count && result == SPGC_OK; i++)
    result = check_reference(body, body->instructions.at[i], ++search, error);
  return result;
}

static enum spgc_result check_function(LLVMValueRef function, struct spgc_error *error) {
  struct body body = {0};
  find_instructions(&body, function);
  body.statepoints = spgc_zeroed(body.blocks.count, sizeof *body.statepoints);
  body.searched = spgc_zeroed(body.blocks.count, sizeof *body.searched);
  body.points = spgc_zeroed(body.instructions.count, sizeof *body.points);
  body.met = spgc_zeroed(body.instructions.count, sizeof *body.met);
  enum spgc_result result = SPGC_OK;
  if (find_points(&body, function))
    result = check_references(&body, function, error);
  free(body.statepoints);
  free(body.searched);
  free(body.points);
  free(body.met);
  spgc_values_free(&body.blocks);
  spgc_values_free(&body.instructions);
  spgc_values_free(&body.pending);
  return result;
}

enum spgc_result spgc_check_relocated(struct lowering *lowering, struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  for (LLVMValueRef function = LLVMGetFirstFunction(lowering->module);
       function != NULL && result == SPGC_OK; function = LLVMGetNextFunction(function))
    if (spgc_ir_function_is_managed(function))
      result = check_function(function, error);
  return result;
}
