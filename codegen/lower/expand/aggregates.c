/* Structures and arrays with references are taken apart where they are made, because RS4GC
 * relocates only single references, and the optimiser does not know that: it chooses between two
 * structures, and moves an extraction to the use of its result. So each such value has its parts:
 *   - those of an insertion or extraction are parts of its operands;
 *   - those of a phi or select are phis or selects of parts;
 *   - those of any other value are extracted right behind it.
 * What uses a part gets it from there. A structure that a function returns, stores or passes on as
 * a whole is put together right before that, because a safepoint may come earlier.
 */
#include "codegen/ir/aggregate.h"

#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"
#include "support/fatal.h"

/* The values met so far, and the parts of each, which are no structures or arrays. */
struct splitting {
  struct values wholes;
  struct values *parts;
  unsigned capacity;
  LLVMBuilderRef builder;
};

static bool is_aggregate(LLVMValueRef value) {
  return spgc_ir_type_is_aggregate_of_references(LLVMTypeOf(value));
}

static bool is_extraction(LLVMValueRef value) {
  return LLVMIsAExtractValueInst(value) != NULL && is_aggregate(LLVMGetOperand(value, 0));
}

/* True for a value whose parts are those of others. */
static bool is_combination(LLVMValueRef value) {
  return is_aggregate(value) && (LLVMIsAInsertValueInst(value) || LLVMIsAExtractValueInst(value) ||
                                 LLVMIsAPHINode(value) || LLVMIsASelectInst(value));
}

/* The first instruction behind the definition of a value; NULL if the value has no such place. */
static LLVMValueRef behind(LLVMValueRef value) {
  LLVMValueRef place = LLVMIsAArgument(value) ? spgc_ir_first_instruction(LLVMGetParamParent(value))
                       : LLVMIsAInvokeInst(value)
                           ? LLVMGetFirstInstruction(LLVMGetNormalDest(value))
                           : LLVMGetNextInstruction(value);
  while (place != NULL && (LLVMIsAPHINode(place) || LLVMIsALandingPadInst(place)))
    place = LLVMGetNextInstruction(place);
  return place;
}

/* ---- The parts of a value ---- */

static unsigned parts_of(struct splitting *splitting, LLVMValueRef whole);

static unsigned enter(struct splitting *splitting, LLVMValueRef whole) {
  unsigned place = splitting->wholes.count;
  if (place == splitting->capacity) {
    splitting->capacity = 2 * place + 16;
    splitting->parts =
        reallocarray(splitting->parts, splitting->capacity, sizeof *splitting->parts);
    spgc_require(splitting->parts != NULL, "out of memory");
  }
  splitting->parts[place] = (struct values){0};
  spgc_values_add(&splitting->wholes, whole);
  return place;
}

static void add_parts(struct splitting *splitting, unsigned to, unsigned from, unsigned first,
                      unsigned end) {
  for (unsigned i = first; i < end; i++)
    spgc_values_add(&splitting->parts[to], splitting->parts[from].at[i]);
}

/* The parts in front of the one that an insertion or extraction names. */
static unsigned count_before(LLVMValueRef instruction) {
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(instruction, 0));
  uint64_t count = 0;
  for (unsigned i = 0; i < LLVMGetNumIndices(instruction); i++) {
    unsigned index = LLVMGetIndices(instruction)[i];
    for (unsigned k = 0; k < index; k++)
      count += spgc_aggregate_leaves(spgc_aggregate_part(type, k));
    type = spgc_aggregate_part(type, index);
  }
  return (unsigned)count;
}

static void add_of_extraction(struct splitting *splitting, unsigned place, LLVMValueRef whole) {
  unsigned from = parts_of(splitting, LLVMGetOperand(whole, 0)), first = count_before(whole);
  add_parts(splitting, place, from, first,
            first + (unsigned)spgc_aggregate_leaves(LLVMTypeOf(whole)));
}

static void add_of_insertion(struct splitting *splitting, unsigned place, LLVMValueRef whole) {
  unsigned into = parts_of(splitting, LLVMGetOperand(whole, 0));
  unsigned inserted = parts_of(splitting, LLVMGetOperand(whole, 1));
  unsigned first = count_before(whole), count = splitting->parts[inserted].count;
  add_parts(splitting, place, into, 0, first);
  add_parts(splitting, place, inserted, 0, count);
  add_parts(splitting, place, into, first + count, splitting->parts[into].count);
}

static void add_phis(struct splitting *splitting, unsigned place, LLVMValueRef phi,
                     LLVMTypeRef type) {
  if (spgc_is_aggregate(type)) {
    for (unsigned i = 0; i < spgc_aggregate_count(type); i++)
      add_phis(splitting, place, phi, spgc_aggregate_part(type, i));
    return;
  }
  LLVMPositionBuilderBefore(splitting->builder, phi);
  spgc_values_add(&splitting->parts[place], LLVMBuildPhi(splitting->builder, type, ""));
}

/* A phi may come to be an operand of itself, so its parts are known before they are complete. The
 * place behind an invoke has no room in front of a phi there, which has no other operand. */
static void add_of_phi(struct splitting *splitting, unsigned place, LLVMValueRef phi) {
  if (LLVMCountIncoming(phi) == 1) {
    unsigned from = parts_of(splitting, LLVMGetIncomingValue(phi, 0));
    add_parts(splitting, place, from, 0, splitting->parts[from].count);
    return;
  }
  add_phis(splitting, place, phi, LLVMTypeOf(phi));
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
    unsigned from = parts_of(splitting, LLVMGetIncomingValue(phi, i));
    for (unsigned k = 0; k < splitting->parts[from].count; k++)
      LLVMAddIncoming(splitting->parts[place].at[k], &splitting->parts[from].at[k], &block, 1);
  }
}

static void add_of_select(struct splitting *splitting, unsigned place, LLVMValueRef select) {
  unsigned yes = parts_of(splitting, LLVMGetOperand(select, 1));
  unsigned no = parts_of(splitting, LLVMGetOperand(select, 2));
  LLVMPositionBuilderBefore(splitting->builder, select);
  for (unsigned i = 0; i < splitting->parts[yes].count; i++)
    spgc_values_add(&splitting->parts[place],
                    LLVMBuildSelect(splitting->builder, LLVMGetOperand(select, 0),
                                    splitting->parts[yes].at[i], splitting->parts[no].at[i], ""));
}

static void extract(struct splitting *splitting, unsigned place, LLVMValueRef value) {
  if (!spgc_is_aggregate(LLVMTypeOf(value)))
    spgc_values_add(&splitting->parts[place], value);
  else
    for (unsigned i = 0; i < spgc_aggregate_count(LLVMTypeOf(value)); i++)
      extract(splitting, place, LLVMBuildExtractValue(splitting->builder, value, i, ""));
}

/* Returns their place. */
static unsigned parts_of(struct splitting *splitting, LLVMValueRef whole) {
  unsigned place = spgc_values_find(&splitting->wholes, whole);
  if (place != VALUES_MISSING)
    return place;
  place = enter(splitting, whole);
  if (is_extraction(whole)) {
    add_of_extraction(splitting, place, whole);
  } else if (!is_combination(whole)) {
    if (spgc_is_aggregate(LLVMTypeOf(whole)) && !LLVMIsAConstant(whole))
      LLVMPositionBuilderBefore(splitting->builder, behind(whole));
    extract(splitting, place, whole);
  } else if (LLVMIsAInsertValueInst(whole)) {
    add_of_insertion(splitting, place, whole);
  } else if (LLVMIsAPHINode(whole)) {
    add_of_phi(splitting, place, whole);
  } else {
    add_of_select(splitting, place, whole);
  }
  return place;
}

/* ---- The uses of a value ---- */

/* Takes the parts from `*next` on. */
static LLVMValueRef insert(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef **next) {
  if (!spgc_is_aggregate(type))
    return *(*next)++;
  LLVMValueRef whole = LLVMGetPoison(type);
  for (unsigned i = 0; i < spgc_aggregate_count(type); i++) {
    LLVMValueRef part = insert(builder, spgc_aggregate_part(type, i), next);
    whole = LLVMBuildInsertValue(builder, whole, part, i, "");
  }
  return whole;
}

static LLVMValueRef put_together(struct splitting *splitting, LLVMValueRef whole,
                                 LLVMValueRef user) {
  unsigned place = parts_of(splitting, whole);
  LLVMValueRef *next = splitting->parts[place].at;
  LLVMPositionBuilderBefore(splitting->builder, user);
  return insert(splitting->builder, LLVMTypeOf(whole), &next);
}

/* True if control flows straight from `start` to `user`, and no call between them may be a
 * safepoint. */
static bool reached_without_safepoint(LLVMValueRef start, LLVMValueRef user) {
  LLVMValueRef at = start;
  while (at != NULL && at != user && !spgc_ir_is_safepoint(at))
    at = LLVMGetNextInstruction(at);
  return at == user && !LLVMIsAPHINode(user);
}

/* One that came as a whole may stay so where no safepoint is. */
static bool stays(LLVMValueRef value) {
  if (!is_aggregate(value) || LLVMIsAConstant(value))
    return true;
  if (is_combination(value))
    return false;
  bool crosses = false;
  for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL && !crosses; use = LLVMGetNextUse(use))
    crosses = !reached_without_safepoint(behind(value), LLVMGetUser(use));
  return !crosses || behind(value) == NULL;
}

static void split_uses(struct splitting *splitting, LLVMValueRef user) {
  if (is_combination(user))
    return;
  if (is_extraction(user)) {
    LLVMReplaceAllUsesWith(user, put_together(splitting, user, user));
    return;
  }
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++) {
    LLVMValueRef operand = LLVMGetOperand(user, i);
    if (!stays(operand))
      LLVMSetOperand(user, i, put_together(splitting, operand, user));
  }
}

/* Returns whether there were any such values. */
static bool split_function(LLVMValueRef function) {
  struct splitting splitting = {
      .builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)))};
  struct values users = {0};
  IR_EACH_INSTRUCTION_OF (instruction, function)
    spgc_values_add(&users, instruction);
  for (unsigned i = 0; i < users.count; i++)
    split_uses(&splitting, users.at[i]);
  bool any = splitting.wholes.count != 0;
  for (unsigned i = 0; i < splitting.wholes.count; i++)
    spgc_values_free(&splitting.parts[i]);
  free(splitting.parts);
  spgc_values_free(&splitting.wholes);
  spgc_values_free(&users);
  LLVMDisposeBuilder(splitting.builder);
  return any;
}

enum spgc_result spgc_take_aggregates_apart(struct lowering *lowering, struct spgc_error *error) {
  bool any = false;
  IR_EACH_FUNCTION (function, lowering->module)
    if (spgc_ir_function_is_managed(function))
      any |= split_function(function);
  if (any)
    spgc_run_passes(lowering, "function(adce)");
  return SPGC_OK;
}
