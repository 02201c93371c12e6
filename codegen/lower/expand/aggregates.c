/* Structures and arrays with references are taken apart where they are made, because RS4GC
 * relocates only single references, and the optimiser does not know that:
 *   - it moves an extraction to the use of its result, so extractions are moved up to their
 *     structure's definition;
 *   - it chooses between two structures and extracts from the choice, so phis and selects of
 *     structures become one phi or select for each part.
 * A structure that a function returns, stores or passes on as a whole is put together right before
 * that, because a safepoint may come earlier. This holds for one that was put together before, and
 * for one that came as a whole and would live across a safepoint: all its parts are extracted.
 */
#include <stdlib.h>
#include <string.h>

#include "codegen/check/check.h"
#include "codegen/ir/aggregate.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"
#include "support/fatal.h"

/* A block may be a predecessor several times, always with the same value. */
static LLVMValueRef already_incoming(LLVMValueRef phi, LLVMBasicBlockRef block) {
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++)
    if (LLVMGetIncomingBlock(phi, i) == block)
      return LLVMGetIncomingValue(phi, i);
  return NULL;
}

/* Makes the phi of one part; each incoming block extracts the part at its end. */
static LLVMValueRef phi_of_part(LLVMBuilderRef builder, LLVMValueRef phi, unsigned i) {
  LLVMPositionBuilderBefore(builder, phi);
  LLVMValueRef part = LLVMBuildPhi(builder, spgc_aggregate_part(LLVMTypeOf(phi), i), "");
  for (unsigned incoming = 0; incoming < LLVMCountIncoming(phi); incoming++) {
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, incoming);
    LLVMValueRef value = already_incoming(part, block);
    if (value == NULL) {
      LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(block));
      value = LLVMBuildExtractValue(builder, LLVMGetIncomingValue(phi, incoming), i, "");
    }
    LLVMAddIncoming(part, &value, &block, 1);
  }
  return part;
}

static LLVMValueRef select_of_part(LLVMBuilderRef builder, LLVMValueRef select, unsigned i) {
  LLVMPositionBuilderBefore(builder, select);
  LLVMValueRef yes = LLVMBuildExtractValue(builder, LLVMGetOperand(select, 1), i, "");
  LLVMValueRef no = LLVMBuildExtractValue(builder, LLVMGetOperand(select, 2), i, "");
  return LLVMBuildSelect(builder, LLVMGetOperand(select, 0), yes, no, "");
}

static LLVMValueRef first_after_phis(LLVMValueRef instruction) {
  while (LLVMIsAPHINode(instruction))
    instruction = LLVMGetNextInstruction(instruction);
  return instruction;
}

/* Extractions take the new structure apart again later. Adds choices of structures that this
 * creates to the list. */
static void split_choice(LLVMValueRef choice, struct values *choices) {
  unsigned count = spgc_aggregate_count(LLVMTypeOf(choice));
  struct values parts = {0};
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(choice)));
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef part = LLVMIsAPHINode(choice) ? phi_of_part(builder, choice, i)
                                               : select_of_part(builder, choice, i);
    spgc_values_add(&parts, part);
    if (spgc_ir_type_is_aggregate_of_references(LLVMTypeOf(part)) && LLVMIsAInstruction(part))
      spgc_values_add(choices, part);
  }
  LLVMPositionBuilderBefore(builder, LLVMIsAPHINode(choice) ? first_after_phis(choice) : choice);
  LLVMValueRef whole = LLVMGetUndef(LLVMTypeOf(choice));
  for (unsigned i = 0; i < count; i++)
    whole = LLVMBuildInsertValue(builder, whole, parts.at[i], i, "");
  LLVMReplaceAllUsesWith(choice, whole);
  LLVMInstructionEraseFromParent(choice);
  LLVMDisposeBuilder(builder);
  spgc_values_free(&parts);
}

static bool is_choice(LLVMValueRef instruction) {
  return (LLVMIsAPHINode(instruction) || LLVMIsASelectInst(instruction)) &&
         spgc_ir_type_is_aggregate_of_references(LLVMTypeOf(instruction));
}

static void find_choices(LLVMModuleRef module, struct values *choices) {
  IR_EACH_FUNCTION (function, module)
    if (spgc_ir_function_is_managed(function))
      IR_EACH_BLOCK (block, function)
        IR_EACH_INSTRUCTION (instruction, block)
          if (is_choice(instruction))
            spgc_values_add(choices, instruction);
}

/* A phi has no place to extract the parts of an invoke's result, so the edge from the invoke
 * becomes a block. */
static bool split_choices(struct lowering *lowering) {
  struct values choices = {0};
  find_choices(lowering->module, &choices);
  bool any = choices.count != 0;
  if (any) {
    spgc_run_passes(lowering, "function(break-crit-edges)");
    for (unsigned i = 0; i < choices.count; i++)
      split_choice(choices.at[i], &choices);
    spgc_run_passes(lowering, "function(early-cse,dce,simplifycfg)");
  }
  spgc_values_free(&choices);
  return any;
}

/* The passes that clean up may join returns, and make new phis of what they return. */
enum spgc_result spgc_split_aggregate_choices(struct lowering *lowering, struct spgc_error *error) {
  enum { MOST_ROUNDS = 4 };
  for (unsigned round = 0; round < MOST_ROUNDS && split_choices(lowering); round++)
    continue;
  return SPGC_OK;
}

static void add_extractions(struct values *extractions, LLVMValueRef value) {
  if (!spgc_ir_type_is_aggregate_of_references(LLVMTypeOf(value)))
    return;
  for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use))
    if (LLVMIsAExtractValueInst(LLVMGetUser(use)))
      spgc_values_add(extractions, LLVMGetUser(use));
}

static bool is_before_uses(LLVMValueRef instruction) {
  return LLVMIsAPHINode(instruction) || LLVMIsALandingPadInst(instruction);
}

/* The first instruction behind the definition of a value; NULL if the value has no such place. */
static LLVMValueRef behind(LLVMValueRef value) {
  LLVMValueRef place = spgc_ir_first_possible_use(value);
  while (place != NULL && is_before_uses(place))
    place = LLVMGetNextInstruction(place);
  return place;
}

/* Moves the extraction right behind the definition of its operand. */
static void move_up(LLVMValueRef extraction) {
  LLVMValueRef target = behind(LLVMGetOperand(extraction, 0));
  if (target == NULL || target == extraction)
    return;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(extraction)));
  LLVMInstructionRemoveFromParent(extraction);
  LLVMPositionBuilderBefore(builder, target);
  LLVMInsertIntoBuilder(builder, extraction);
  LLVMDisposeBuilder(builder);
}

/* An extraction's result may be an aggregate, whose extractions follow it: they come later in the
 * list. */
static void take_apart(LLVMValueRef function) {
  struct values extractions = {0};
  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    add_extractions(&extractions, LLVMGetParam(function, i));
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      add_extractions(&extractions, instruction);
  for (unsigned i = 0; i < extractions.count; i++)
    move_up(extractions.at[i]);
  spgc_values_free(&extractions);
}

static bool is_insertion(LLVMValueRef value) {
  return LLVMIsAInsertValueInst(value) != NULL &&
         spgc_ir_type_is_aggregate_of_references(LLVMTypeOf(value));
}

/* True if `later` sets the part that the insertion sets, or one that this is a part of. */
static bool overwrites(LLVMValueRef later, LLVMValueRef insertion) {
  unsigned count = LLVMGetNumIndices(later);
  return count <= LLVMGetNumIndices(insertion) &&
         memcmp(LLVMGetIndices(later), LLVMGetIndices(insertion), count * sizeof(unsigned)) == 0;
}

/* The insertions that make the value, the last one first, without those whose part a later one
 * sets. Returns what the first one is made in. */
static LLVMValueRef find_insertions(struct values *insertions, LLVMValueRef value) {
  for (; is_insertion(value); value = LLVMGetOperand(value, 0)) {
    bool remains = true;
    for (unsigned i = 0; i < insertions->count && remains; i++)
      remains = !overwrites(insertions->at[i], value);
    if (remains)
      spgc_values_add(insertions, value);
  }
  return value;
}

/* Copies the instructions that put the value together from its parts. */
static LLVMValueRef put_together(LLVMBuilderRef builder, LLVMValueRef value) {
  struct values insertions = {0};
  LLVMValueRef whole = find_insertions(&insertions, value);
  for (unsigned i = insertions.count; i-- > 0;) {
    LLVMValueRef copy = LLVMInstructionClone(insertions.at[i]);
    LLVMSetOperand(copy, 0, whole);
    LLVMSetOperand(copy, 1, put_together(builder, LLVMGetOperand(copy, 1)));
    LLVMInsertIntoBuilder(builder, copy);
    whole = copy;
  }
  spgc_values_free(&insertions);
  return whole;
}

static void put_together_before(LLVMBuilderRef builder, LLVMValueRef user) {
  if (LLVMIsAInsertValueInst(user) || LLVMIsAPHINode(user))
    return;
  LLVMPositionBuilderBefore(builder, user);
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++) {
    LLVMValueRef operand = LLVMGetOperand(user, i);
    if (is_insertion(operand))
      LLVMSetOperand(user, i, put_together(builder, operand));
  }
}

/* Erases copied instructions whose only users are others of them. */
static void erase_unused(struct values *insertions) {
  for (bool erased = true; erased;) {
    erased = false;
    for (unsigned i = insertions->count; i-- > 0;) {
      if (insertions->at[i] == NULL || LLVMGetFirstUse(insertions->at[i]) != NULL)
        continue;
      LLVMInstructionEraseFromParent(insertions->at[i]);
      insertions->at[i] = NULL;
      erased = true;
    }
  }
}

static void put_together_where_used(LLVMValueRef function) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
  struct values insertions = {0}, users = {0};
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      spgc_values_add(LLVMIsAInsertValueInst(instruction) ? &insertions : &users, instruction);
  for (unsigned i = 0; insertions.count != 0 && i < users.count; i++)
    put_together_before(builder, users.at[i]);
  erase_unused(&insertions);
  spgc_values_free(&insertions);
  spgc_values_free(&users);
  LLVMDisposeBuilder(builder);
}

/* Extracts all parts, and those of parts that hold references, and puts them together anew. */
static LLVMValueRef renewed(LLVMBuilderRef builder, LLVMValueRef value) {
  if (!spgc_ir_type_is_aggregate_of_references(LLVMTypeOf(value)))
    return value;
  LLVMValueRef whole = LLVMGetUndef(LLVMTypeOf(value));
  for (unsigned i = 0; i < spgc_aggregate_count(LLVMTypeOf(value)); i++) {
    LLVMValueRef part = LLVMBuildExtractValue(builder, value, i, "");
    whole = LLVMBuildInsertValue(builder, whole, renewed(builder, part), i, "");
  }
  return whole;
}

/* The uses of a value as a whole, each an instruction and the index of an operand. */
static void replace_whole(LLVMValueRef value, LLVMValueRef other) {
  struct values users = {0};
  for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use))
    if (!LLVMIsAExtractValueInst(LLVMGetUser(use)))
      spgc_values_add(&users, LLVMGetUser(use));
  for (unsigned i = 0; i < users.count; i++)
    for (unsigned operand = 0; operand < (unsigned)LLVMGetNumOperands(users.at[i]); operand++)
      if (LLVMGetOperand(users.at[i], operand) == value)
        LLVMSetOperand(users.at[i], operand, other);
  spgc_values_free(&users);
}

/* One that is put together where it is used needs no more. */
static bool lives_across_safepoint(LLVMValueRef value) {
  return !LLVMIsAInsertValueInst(value) && behind(value) != NULL &&
         spgc_check_aggregate(value) != NULL;
}

static void add_across_safepoints(struct values *found, LLVMValueRef function) {
  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    if (spgc_check_aggregate(LLVMGetParam(function, i)) != NULL)
      spgc_values_add(found, LLVMGetParam(function, i));
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      if (lives_across_safepoint(instruction))
        spgc_values_add(found, instruction);
}

/* True if there were any values that live across a safepoint as a whole. */
static bool renew_across_safepoints(LLVMValueRef function) {
  struct values found = {0};
  add_across_safepoints(&found, function);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
  for (unsigned i = 0; i < found.count; i++) {
    LLVMPositionBuilderBefore(builder, behind(found.at[i]));
    replace_whole(found.at[i], renewed(builder, found.at[i]));
  }
  bool any = found.count != 0;
  LLVMDisposeBuilder(builder);
  spgc_values_free(&found);
  return any;
}

enum spgc_result spgc_take_aggregates_apart(struct lowering *lowering, struct spgc_error *error) {
  IR_EACH_FUNCTION (function, lowering->module)
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function)) {
      take_apart(function);
      put_together_where_used(function);
      if (renew_across_safepoints(function))
        put_together_where_used(function);
    }
  return SPGC_OK;
}
