/* Words of objects that pass through the program as numbers and may be references: members of a
 * union in C, fields of a type that holds both.
 *
 * To the optimiser a collection changes no memory of the program. So it merges two loads of such a
 * word around a safepoint, and moves a store of one behind a safepoint; the number would be that of
 * before the collection. The word cannot be a reference to the optimiser instead: if it is a
 * number, the collector must not meet it in a register.
 *
 * So such a load is a call of a function that the optimiser does not know, and such a store has a
 * note behind it, the call of a function that reads what was stored. Like the calls that read
 * addresses (addresses.c), both claim to write the memory that a safepoint writes, which keeps each
 * on its side of every safepoint. Notes go when the optimiser has run. Loads stay hidden until
 * nothing comes any more that might merge them: a call is no safepoint to LLVM where it cannot know
 * the object.
 *
 * A load is hidden if the module may store its word; a store is noted if its word may be a
 * reference. Neither is done for a number that the program itself carries over a safepoint, because
 * it is no address any more. Words that !tbaa gives a type of numbers or pointers of C, and those
 * that the type of a local variable declares so, are what they are said to be.
 */
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/prelude.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/ir/access_type.h"
#include "codegen/ir/storage.h"
#include "codegen/ir/values.h"
#include "codegen/ir/write.h"
#include "support/fatal.h"

enum { WORD = sizeof(uint64_t) };

static const char hidden_load[] = PRELUDE_PREFIX "word.load ",
                  stored_note[] = PRELUDE_PREFIX "word.stored ";

static unsigned mark_kind(LLVMContextRef context) {
  static const char name[] = PRELUDE_PREFIX "word";
  return LLVMGetMDKindIDInContext(context, name, sizeof name - 1);
}

/* Marks an access that is to be hidden. */
static void mark(LLVMValueRef access) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(access));
  LLVMMetadataRef node = LLVMMDNodeInContext2(context, NULL, 0);
  LLVMSetMetadata(access, mark_kind(context), LLVMMetadataAsValue(context, node));
}

static bool has_kind_of_c(LLVMValueRef access) {
  return spgc_access_is_of_number(access) || spgc_access_is_of_pointer(access) ||
         spgc_access_is_declared_number(access);
}

struct words {
  LLVMModuleRef module;
  LLVMTargetDataRef data;
  bool all_loads; /* they are marked */
};

/* True for the address of a word in an object, or in a variable that shows a reference there. */
static bool leads_to_word(const struct words *words, LLVMValueRef address) {
  if (spgc_ir_is_reference(address))
    return true;
  struct places places;
  spgc_places_of(words->data, address, &places);
  for (unsigned i = 0; i < places.count; i++)
    if (spgc_storage_at(words->data, places.at[i].place, 0) == STORAGE_REFERENCE)
      return true;
  return false;
}

static bool is_plain(LLVMValueRef access) {
  return !LLVMGetVolatile(access) && LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic;
}

static void mark_load(const struct words *words, LLVMValueRef load) {
  if (is_plain(load) && !has_kind_of_c(load) && leads_to_word(words, LLVMGetOperand(load, 0)))
    mark(load);
}

/* True for a value of one word or more that no collection rewrites. */
static bool holds_words(const struct words *words, LLVMValueRef value) {
  return LLVMStoreSizeOfType(words->data, LLVMTypeOf(value)) >= WORD &&
         !spgc_ir_type_contains_reference(LLVMTypeOf(value));
}

static void mark_all_loads(struct words *words) {
  words->all_loads = true;
  IR_EACH_FUNCTION (function, words->module)
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block)
        if (LLVMIsALoadInst(instruction) != NULL && holds_words(words, instruction))
          mark_load(words, instruction);
}

enum reading { FOUND_VALUE, FOUND_SAFEPOINT, FOUND_START };

static enum reading read_backwards(LLVMValueRef value, LLVMValueRef from) {
  for (LLVMValueRef instruction = from; instruction != NULL;
       instruction = LLVMGetPreviousInstruction(instruction)) {
    if (instruction == value)
      return FOUND_VALUE;
    if (spgc_ir_is_call(instruction) && !spgc_ir_call_is_leaf(instruction))
      return FOUND_SAFEPOINT;
  }
  return FOUND_START;
}

/* The predecessors are the blocks of the terminators that use the block. */
static void add_predecessors(struct values *blocks, LLVMBasicBlockRef block) {
  for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use != NULL;
       use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAInstruction(user) == NULL || LLVMIsATerminatorInst(user) == NULL)
      continue;
    LLVMValueRef from = LLVMBasicBlockAsValue(LLVMGetInstructionParent(user));
    if (!spgc_values_contain(blocks, from))
      spgc_values_add(blocks, from);
  }
}

enum { MOST_BLOCKS = 64 }; /* beyond them the answer is yes */

/* True if there may be a way from a value to an instruction that meets no safepoint. */
static bool is_of_the_moment(LLVMValueRef value, LLVMValueRef user) {
  struct values blocks = {0};
  LLVMBasicBlockRef block = LLVMGetInstructionParent(user);
  LLVMValueRef from = LLVMGetPreviousInstruction(user);
  bool reached = false;
  for (unsigned i = 0; !reached; i++) {
    enum reading reading = read_backwards(value, from);
    bool is_entry = block == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block));
    if (reading == FOUND_START)
      add_predecessors(&blocks, block);
    reached = reading == FOUND_VALUE || (reading == FOUND_START && is_entry) ||
              blocks.count > MOST_BLOCKS;
    if (i == blocks.count)
      break;
    block = LLVMValueAsBasicBlock(blocks.at[i]);
    from = LLVMGetLastInstruction(block);
  }
  spgc_values_free(&blocks);
  return reached;
}

static void mark_loads_of(struct words *words, LLVMValueRef value) {
  struct values loads = {0};
  bool found_all = spgc_write_loads(value, &loads);
  for (unsigned i = 0; i < loads.count; i++)
    mark_load(words, loads.at[i]);
  if (!found_all && !words->all_loads)
    mark_all_loads(words);
  spgc_values_free(&loads);
}

static void mark_written(struct words *words, LLVMValueRef instruction) {
  struct write write = spgc_write_of(instruction);
  if (write.address == NULL || LLVMIsConstant(write.value) || !holds_words(words, write.value) ||
      !is_of_the_moment(write.value, instruction))
    return;
  mark_loads_of(words, write.value);
  if (LLVMIsAStoreInst(instruction) == NULL || !is_plain(instruction) ||
      spgc_access_is_declared_number(instruction) || !leads_to_word(words, write.address))
    return;
  enum origin origin = spgc_write_origin(write.value);
  if (origin == ORIGIN_REFERENCE || (origin == ORIGIN_UNKNOWN && !has_kind_of_c(instruction)))
    mark(instruction);
}

/* The function of this type that stands for accesses to words. */
static LLVMValueRef access_function(LLVMModuleRef module, const char *kind, LLVMTypeRef type) {
  char *text = LLVMPrintTypeToString(type), *name;
  spgc_require(asprintf(&name, "%s%s", kind, text) >= 0, "out of memory");
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  if (function == NULL) {
    function = LLVMAddFunction(module, name, type);
    spgc_declare_word(function);
  }
  free(name);
  LLVMDisposeMessage(text);
  return function;
}

static void copy_access_type(LLVMValueRef to, LLVMValueRef from) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(from));
  unsigned kind = LLVMGetMDKindIDInContext(context, "tbaa", strlen("tbaa"));
  LLVMValueRef type = LLVMGetMetadata(from, kind);
  if (type != NULL)
    LLVMSetMetadata(to, kind, type);
}

static unsigned align_kind(void) {
  return LLVMGetEnumAttributeKindForName("align", strlen("align"));
}

static void replace(LLVMValueRef old, LLVMValueRef new) {
  copy_access_type(new, old);
  LLVMReplaceAllUsesWith(old, new);
  LLVMInstructionEraseFromParent(old);
}

static LLVMValueRef call_with_address(LLVMBuilderRef builder, const char *kind, LLVMTypeRef result,
                                      LLVMValueRef address) {
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder)));
  LLVMTypeRef parameter = LLVMTypeOf(address);
  LLVMTypeRef type = LLVMFunctionType(result, &parameter, 1, false);
  return LLVMBuildCall2(builder, type, access_function(module, kind, type), &address, 1, "");
}

static void hide_load(LLVMValueRef load) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(load));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderBefore(builder, load);
  LLVMValueRef call =
      call_with_address(builder, hidden_load, LLVMTypeOf(load), LLVMGetOperand(load, 0));
  LLVMAddCallSiteAttribute(call, 1,
                           LLVMCreateEnumAttribute(context, align_kind(), LLVMGetAlignment(load)));
  replace(load, call);
  LLVMDisposeBuilder(builder);
}

static void note_store(LLVMValueRef store) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(store));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(store));
  call_with_address(builder, stored_note, LLVMVoidTypeInContext(context), LLVMGetOperand(store, 1));
  LLVMDisposeBuilder(builder);
}

/* All accesses are judged before the first one is hidden. */
enum spgc_result spgc_hide_words(struct lowering *lowering, struct spgc_error *error) {
  struct words words = {.module = lowering->module,
                        .data = LLVMGetModuleDataLayout(lowering->module)};
  unsigned kind = mark_kind(LLVMGetModuleContext(lowering->module));
  IR_EACH_FUNCTION (function, lowering->module)
    if (spgc_ir_function_is_managed(function) || spgc_ir_function_uses_references(function))
      IR_EACH_BLOCK (block, function)
        IR_EACH_INSTRUCTION (instruction, block)
          mark_written(&words, instruction);
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      for (LLVMValueRef instruction = LLVMGetFirstInstruction(block), next; instruction != NULL;
           instruction = next) {
        next = LLVMGetNextInstruction(instruction);
        if (LLVMGetMetadata(instruction, kind) == NULL)
          continue;
        LLVMSetMetadata(instruction, kind, NULL);
        lowering->hides_words = true;
        if (LLVMIsALoadInst(instruction) != NULL)
          hide_load(instruction);
        else
          note_store(instruction);
      }
  return SPGC_OK;
}

/* Calls that the optimiser merged may have lost their alignment. */
static unsigned alignment_of(LLVMValueRef call) {
  LLVMAttributeRef alignment = LLVMGetCallSiteEnumAttribute(call, 1, align_kind());
  return alignment != NULL ? (unsigned)LLVMGetEnumAttributeValue(alignment) : 1;
}

static void show_load(LLVMValueRef call) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(call)));
  LLVMPositionBuilderBefore(builder, call);
  LLVMValueRef load = LLVMBuildLoad2(builder, LLVMTypeOf(call), LLVMGetArgOperand(call, 0), "");
  LLVMSetAlignment(load, alignment_of(call));
  replace(call, load);
  LLVMDisposeBuilder(builder);
}

static void end_calls(LLVMModuleRef module, const char *kind, void (*end)(LLVMValueRef call)) {
  for (LLVMValueRef function = LLVMGetFirstFunction(module), next; function != NULL;
       function = next) {
    next = LLVMGetNextFunction(function);
    if (!spgc_ir_name_starts_with(function, kind))
      continue;
    for (LLVMUseRef use; (use = LLVMGetFirstUse(function)) != NULL;)
      end(LLVMGetUser(use));
    LLVMDeleteFunction(function);
  }
}

enum spgc_result spgc_drop_word_notes(struct lowering *lowering, struct spgc_error *error) {
  end_calls(lowering->module, stored_note, LLVMInstructionEraseFromParent);
  return SPGC_OK;
}

enum spgc_result spgc_show_words(struct lowering *lowering, struct spgc_error *error) {
  end_calls(lowering->module, hidden_load, show_load);
  return SPGC_OK;
}
