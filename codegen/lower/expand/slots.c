/* Slots for references that live across many safepoints of a large function (docs/lowering.md,
 * "Compile time"). They are in an array on the stack: stored into where a reference is defined, and
 * loaded once in each segment that uses it (ir/segments.h).
 *
 * Only objects' own addresses have slots; addresses inside objects are recomputed in each segment.
 * Choices among these, vectors, and values that a phi takes from after an invoke are left to RS4GC.
 *
 * References whose ranges do not overlap share a slot. Long ranges have adjacent slots, so that
 * a statepoint lists few runs. */
#include "codegen/lower/expand/slots.h"

#include <stdlib.h>

#include <llvm-c/DebugInfo.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/segments.h"
#include "codegen/ir/values.h"
#include "codegen/lower/phases.h"
#include "support/fatal.h"

/* A large function's safepoints relocate this many references in all, and on average. Most
 * functions have at most 1,000 relocations, top-level code of scripts 23,000 or more. */
enum { RELOCATIONS_MANY = 2500, RELOCATIONS_MANY_EACH = 4 };
/* RS4GC is cheaper for a reference that crosses fewer safepoints, except with SAFEPOINTS_MANY,
 * where LLVM's promotion searches all blocks after each reference. */
enum { CROSSED_MANY = 17 };
enum { MOST_SLOTS = 8192 };

struct kept {
  LLVMValueRef value;
  unsigned definition; /* segment */
  struct live_range range;
  unsigned class, slot;
};

struct slot_function {
  LLVMValueRef function;
  LLVMBuilderRef builder;
  LLVMContextRef context;
  struct segments segments;
  struct kept *kept;
  unsigned kept_count, slot_count;
  LLVMValueRef array;
  LLVMValueRef *made, *made_of; /* last of each segment, and of which value */
};

static LLVMTypeRef reference_type(const struct slot_function *function) {
  return LLVMPointerTypeInContext(function->context, IR_REFERENCE_ADDRESS_SPACE);
}

static const char slots[] = "spgc.slots";

bool spgc_is_slot_array(LLVMValueRef alloca) {
  return spgc_ir_is_marked(alloca, slots);
}

static bool is_own_address(LLVMValueRef value) {
  if (!spgc_ir_is_reference(value))
    return false;
  if (LLVMIsAPHINode(value) != NULL || LLVMIsASelectInst(value) != NULL)
    return spgc_ir_is_marked(value, "is_base_value");
  return LLVMIsAArgument(value) != NULL || spgc_ir_gives_object(value);
}

static bool is_inside_address(LLVMValueRef value) {
  return LLVMIsAGetElementPtrInst(value) != NULL && spgc_ir_is_reference(value);
}

static bool find_range(struct slot_function *function, LLVMValueRef value, struct kept *kept) {
  unsigned definition = spgc_segment_of_definition(&function->segments, value);
  if (definition == SEGMENT_NONE)
    return false;
  *kept = (struct kept){.value = value, .definition = definition};
  spgc_live_range_find(&function->segments, value, definition, &kept->range);
  return true;
}

static size_t relocations_of(struct slot_function *function, LLVMValueRef value) {
  struct kept kept;
  bool may_live = spgc_ir_is_any_reference(value) && LLVMGetFirstUse(value) != NULL;
  return may_live && find_range(function, value, &kept) ? kept.range.crossed : 0;
}

static bool is_large(struct slot_function *function) {
  size_t relocations = 0;
  for (unsigned i = 0; i < function->segments.definitions.count; i++)
    relocations += relocations_of(function, function->segments.definitions.at[i]);
  return relocations >= RELOCATIONS_MANY &&
         relocations >= (size_t)function->segments.safepoint_count * RELOCATIONS_MANY_EACH;
}

static void keep_if_long(struct slot_function *function, LLVMValueRef value) {
  struct kept *next = &function->kept[function->kept_count];
  unsigned least = function->segments.safepoint_count < SAFEPOINTS_MANY ? CROSSED_MANY : 1;
  if (is_own_address(value) && find_range(function, value, next) && !next->range.crosses_at_edge &&
      next->range.crossed >= least)
    function->kept_count++;
}

static void choose(struct slot_function *function) {
  function->kept = spgc_zeroed(function->segments.definitions.count, sizeof *function->kept);
  for (unsigned i = 0; i < function->segments.definitions.count; i++)
    keep_if_long(function, function->segments.definitions.at[i]);
}

/* log2 of the range's length */
static unsigned class_of(const struct live_range *range) {
  unsigned class = 0;
  for (unsigned length = range->last - range->first; length > 1; length /= 2)
    class ++;
  return class;
}

static int compare_kept(const void *a, const void *b) {
  const struct kept *left = a, *right = b;
  if (left->class != right->class)
    return left->class > right->class ? -1 : 1;
  if (left->range.first != right->range.first)
    return left->range.first < right->range.first ? -1 : 1;
  return left->range.last < right->range.last ? -1 : left->range.last > right->range.last;
}

static unsigned find_slot(const unsigned *ends, unsigned first, unsigned count,
                          const struct live_range *range) {
  unsigned slot = first;
  while (slot < count && ends[slot] >= range->first)
    slot++;
  return slot;
}

/* Linear scan, class by class, the longest first. References without a slot are left to RS4GC. */
static void assign(struct slot_function *function) {
  unsigned *ends = spgc_zeroed(MOST_SLOTS, sizeof *ends), first = 0, assigned = 0;
  for (unsigned i = 0; i < function->kept_count; i++)
    function->kept[i].class = class_of(&function->kept[i].range);
  if (function->kept_count != 0)
    qsort(function->kept, function->kept_count, sizeof *function->kept, compare_kept);
  for (unsigned i = 0; i < function->kept_count; i++) {
    struct kept *kept = &function->kept[i];
    if (i == 0 || kept->class != function->kept[i - 1].class)
      first = function->slot_count;
    kept->slot = find_slot(ends, first, function->slot_count, &kept->range);
    if (kept->slot == MOST_SLOTS)
      continue;
    if (kept->slot == function->slot_count)
      function->slot_count++;
    ends[kept->slot] = kept->range.last;
    function->kept[assigned++] = *kept;
  }
  function->kept_count = assigned;
  free(ends);
}

static void insert_at_front(struct slot_function *function, unsigned segment) {
  LLVMValueRef front = function->segments.front[segment];
  spgc_require(front != NULL, "a segment behind its block");
  LLVMPositionBuilderBefore(function->builder, front);
  LLVMSetCurrentDebugLocation2(function->builder, LLVMInstructionGetDebugLoc(front));
}

static LLVMValueRef address_of_slot(struct slot_function *function, unsigned slot) {
  return spgc_ir_build_offset(function->builder, function->array, (uint64_t)slot * IR_WORD);
}

struct remaking {
  struct slot_function *function;
  LLVMValueRef value;
  unsigned definition;
  const struct kept *kept; /* NULL: it has no slot, and is recomputed */
};

/* `*first` becomes the first instruction made. */
static LLVMValueRef remake(const struct remaking *remaking, LLVMValueRef *first) {
  struct slot_function *function = remaking->function;
  if (remaking->kept == NULL) {
    *first = LLVMInstructionClone(remaking->value);
    LLVMInsertIntoBuilder(function->builder, *first);
    return *first;
  }
  LLVMValueRef address = address_of_slot(function, remaking->kept->slot);
  LLVMValueRef load = LLVMBuildLoad2(function->builder, reference_type(function), address, "");
  LLVMSetAlignment(load, IR_WORD);
  *first = address == function->array ? load : address;
  return load;
}

static void remake_for_use(void *context, LLVMValueRef user, unsigned operand, unsigned segment) {
  const struct remaking *remaking = context;
  struct slot_function *function = remaking->function;
  if (segment == SEGMENT_NONE || segment == remaking->definition)
    return;
  if (function->made_of[segment] != remaking->value) {
    insert_at_front(function, segment);
    function->made[segment] = remake(remaking, &function->segments.front[segment]);
    function->made_of[segment] = remaking->value;
    spgc_segments_add(&function->segments, function->made[segment], segment);
  }
  LLVMSetOperand(user, operand, function->made[segment]);
}

/* From last to first, so that operands are recomputed before their users. */
static void compute_insides_again(struct slot_function *function) {
  struct segments *segments = &function->segments;
  for (unsigned i = segments->definitions.count; i-- != 0;) {
    struct remaking remaking = {function, segments->definitions.at[i], segments->of_definition[i],
                                NULL};
    if (is_inside_address(remaking.value))
      spgc_segments_each_use(segments, remaking.value, remake_for_use, &remaking);
  }
}

static bool is_at_block_start(LLVMValueRef value) {
  return LLVMIsAArgument(value) != NULL || LLVMIsAPHINode(value) != NULL ||
         LLVMIsAInvokeInst(value) != NULL;
}

static void store_slot(struct slot_function *function, const struct kept *kept) {
  if (is_at_block_start(kept->value))
    insert_at_front(function, kept->definition);
  else
    LLVMPositionBuilderBefore(function->builder, LLVMGetNextInstruction(kept->value));
  if (LLVMIsAInstruction(kept->value) != NULL)
    LLVMSetCurrentDebugLocation2(function->builder, LLVMInstructionGetDebugLoc(kept->value));
  LLVMValueRef store =
      LLVMBuildStore(function->builder, kept->value, address_of_slot(function, kept->slot));
  LLVMSetAlignment(store, IR_WORD);
}

static void keep_in_slot(struct slot_function *function, struct kept *kept) {
  function->segments.member = kept->slot;
  spgc_live_range_find(&function->segments, kept->value, kept->definition, &kept->range);
  struct remaking remaking = {function, kept->value, kept->definition, kept};
  spgc_segments_each_use(&function->segments, kept->value, remake_for_use, &remaking);
  store_slot(function, kept);
}

static void make_array(struct slot_function *function) {
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function->function);
  LLVMPositionBuilder(function->builder, entry, LLVMGetFirstInstruction(entry));
  LLVMSetCurrentDebugLocation2(function->builder, NULL);
  function->array = LLVMBuildAlloca(
      function->builder, LLVMArrayType2(reference_type(function), function->slot_count), "");
  LLVMSetAlignment(function->array, IR_WORD);
  spgc_ir_mark(function->array, slots);
}

static void begin(struct slot_function *function) {
  spgc_segments_read(&function->segments, function->function, SAFEPOINTS_CALLED);
  function->made = spgc_zeroed(function->segments.count, sizeof(LLVMValueRef));
  function->made_of = spgc_zeroed(function->segments.count, sizeof(LLVMValueRef));
}

static void end(struct slot_function *function) {
  free((void *)function->made);
  free((void *)function->made_of);
  spgc_segments_free(&function->segments);
}

static void note_slots(struct slot_function *function) {
  const struct segments *segments = &function->segments;
  for (unsigned i = 0; i < segments->definitions.count; i++)
    if (LLVMIsAInstruction(segments->definitions.at[i]) != NULL &&
        spgc_ir_is_safepoint(segments->definitions.at[i]))
      spgc_slots_note(segments->definitions.at[i],
                      segments->crossed + (size_t)segments->of_definition[i] * segments->words,
                      segments->words);
}

static void give_slots(struct slot_function *function) {
  enum { BITS = 64 };
  choose(function);
  assign(function);
  if (function->slot_count != 0) {
    make_array(function);
    function->segments.words = (function->slot_count + BITS - 1) / BITS;
    function->segments.crossed =
        spgc_zeroed((size_t)function->segments.count * function->segments.words, sizeof(uint64_t));
    for (unsigned i = 0; i < function->kept_count; i++)
      keep_in_slot(function, &function->kept[i]);
    note_slots(function);
  }
  free(function->kept);
}

static bool is_small(LLVMValueRef value) {
  size_t safepoints = 0, references = LLVMCountParams(value);
  IR_EACH_INSTRUCTION_OF (instruction, value) {
    safepoints += spgc_ir_is_safepoint(instruction);
    references += spgc_ir_is_any_reference(instruction);
  }
  return safepoints * references < RELOCATIONS_MANY;
}

void spgc_give_slots(struct lowering *lowering, LLVMValueRef value) {
  if (is_small(value))
    return;
  LLVMContextRef context = LLVMGetModuleContext(lowering->module);
  struct slot_function function = {
      .function = value, .context = context, .builder = LLVMCreateBuilderInContext(context)};
  begin(&function);
  if (is_large(&function)) {
    compute_insides_again(&function);
    end(&function);
    begin(&function);
    give_slots(&function);
  }
  end(&function);
  LLVMDisposeBuilder(function.builder);
}
