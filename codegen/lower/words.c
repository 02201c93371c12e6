/* Words of objects that pass through the program as numbers and may be references: members of a
 * union in C, fields of a type that holds both.
 *
 * To the optimiser a collection changes no memory of the program. So it merges two loads of such a
 * word around a safepoint, and moves a store of one behind a safepoint; the number would be that of
 * before the collection. The word cannot be a reference to the optimiser instead: if it is a
 * number, the collector must not meet it in a register.
 *
 * So such a load is a call of a function that the optimiser does not know, and so is the cast of
 * such a number to a reference, which the optimiser moves to its user. A store to an object has a
 * note behind it, the call of a function that reads what was stored. A store through an ordinary
 * pointer is such a call itself, because a variable that is only written and read as a number would
 * become one. Like the calls that read addresses (addresses.c), all claim to write the memory that
 * a safepoint writes, which keeps each on its side of every safepoint. Notes go when the optimiser
 * has run. Loads and stores stay hidden until nothing comes any more that might merge them: a call
 * is no safepoint to LLVM where it cannot know the object.
 *
 * A load is hidden if the module may store, pass or return its word, cast it to a reference, or
 * compare it with what may be an address; a store is noted or hidden, and a cast is hidden, if the
 * word may be a reference. Accesses are not hidden for a number that the program itself carries
 * over a safepoint, because it is no address any more. Words that !tbaa gives a type of numbers or
 * pointers of C, and those that the type of a local variable declares so, are what they are said to
 * be. A cast to a reference contradicts !tbaa, because programs keep tagged addresses in fields of
 * number types; then the cast is believed. An ordinary pointer that a caller, a call or memory gave
 * may lead to a variable that holds references. Functions without references are treated alike,
 * because they may be inlined.
 */
#include "codegen/ir/access_type.h"
#include "codegen/ir/hidden.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/storage.h"
#include "codegen/ir/values.h"
#include "codegen/ir/write.h"

enum { WORD = sizeof(uint64_t) };

static unsigned mark_kind(LLVMContextRef context) {
  static const char name[] = PRELUDE_PREFIX "word";
  return LLVMGetMDKindIDInContext(context, name, sizeof name - 1);
}

/* Marks an access or a cast that is to be hidden. */
static void mark(LLVMValueRef instruction) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(instruction));
  LLVMMetadataRef node = LLVMMDNodeInContext2(context, NULL, 0);
  LLVMSetMetadata(instruction, mark_kind(context), LLVMMetadataAsValue(context, node));
}

static bool has_kind_of_c(LLVMValueRef access) {
  return spgc_access_is_of_number(access) || spgc_access_is_of_pointer(access) ||
         spgc_access_is_declared_number(access);
}

/* What is done with a number. A cast to a reference shows that it is an address, even if !tbaa
 * gives a number type of C. */
enum user { CASTS, OTHERWISE, USERS };

struct words {
  LLVMModuleRef module;
  LLVMTargetDataRef data;
  bool all_loads[USERS]; /* they are marked */
};

static bool is_atomic(LLVMValueRef access) {
  return LLVMGetOrdering(access) != LLVMAtomicOrderingNotAtomic;
}

/* A word of memory that is not known, and that is loaded as a pointer of C, is one. */
static void mark_load(const struct words *words, LLVMValueRef load, enum user user) {
  LLVMValueRef address = LLVMGetOperand(load, 0);
  bool is_pointer = LLVMGetTypeKind(LLVMTypeOf(load)) == LLVMPointerTypeKind;
  bool is_number = user == CASTS ? spgc_access_is_declared_number(load) : has_kind_of_c(load);
  if (!is_atomic(load) && !is_number &&
      (is_pointer ? spgc_shows_reference(words->data, address)
                  : spgc_leads_to_reference(words->data, address)))
    mark(load);
}

/* True for a value of one word or more that no collection rewrites. */
static bool holds_words(const struct words *words, LLVMValueRef value) {
  return LLVMStoreSizeOfType(words->data, LLVMTypeOf(value)) >= WORD &&
         !spgc_ir_is_any_reference(value);
}

static void mark_all_loads(struct words *words, enum user user) {
  words->all_loads[user] = true;
  IR_EACH_FUNCTION (function, words->module)
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block)
        if (LLVMIsALoadInst(instruction) != NULL && holds_words(words, instruction))
          mark_load(words, instruction, user);
}

enum reading { FOUND_VALUE, FOUND_SAFEPOINT, FOUND_START };

/* False for functions elsewhere, too: RS4GC takes those of the C library that it knows by name for
 * leaves. */
static bool is_surely_safepoint(LLVMValueRef instruction) {
  if (!spgc_ir_is_call(instruction) || spgc_ir_call_is_leaf(instruction))
    return false;
  LLVMValueRef callee = spgc_ir_callee(instruction);
  return callee == NULL || LLVMIsAFunction(callee) == NULL || !LLVMIsDeclaration(callee) ||
         spgc_ir_function_is_managed(callee) || spgc_ir_name_starts_with(callee, "spgc_");
}

static enum reading read_backwards(LLVMValueRef value, LLVMValueRef from) {
  for (LLVMValueRef instruction = from; instruction != NULL;
       instruction = LLVMGetPreviousInstruction(instruction)) {
    if (instruction == value)
      return FOUND_VALUE;
    if (is_surely_safepoint(instruction))
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

static void mark_loads_of(struct words *words, LLVMValueRef value, enum user user) {
  struct values loads = {0};
  bool found_all = spgc_write_loads(value, &loads);
  for (unsigned i = 0; i < loads.count; i++)
    mark_load(words, loads.at[i], user);
  if (!found_all && !words->all_loads[user])
    mark_all_loads(words, user);
  spgc_values_free(&loads);
}

static bool may_pass_word(const struct words *words, LLVMValueRef value, LLVMValueRef user) {
  return !LLVMIsConstant(value) && LLVMTypeIsSized(LLVMTypeOf(value)) &&
         holds_words(words, value) && is_of_the_moment(value, user);
}

static void mark_written(struct words *words, LLVMValueRef instruction) {
  struct write write = spgc_write_of(instruction);
  if (write.address == NULL || !may_pass_word(words, write.value, instruction))
    return;
  mark_loads_of(words, write.value, OTHERWISE);
  if (LLVMIsAStoreInst(instruction) == NULL || is_atomic(instruction) ||
      spgc_access_is_declared_number(instruction) ||
      !spgc_leads_to_reference(words->data, write.address))
    return;
  if (spgc_write_origin(write.value) == ORIGIN_REFERENCE ||
      (!has_kind_of_c(instruction) && spgc_may_become_address(write.value, false)))
    mark(instruction);
}

/* Whoever gets the word may store it at once. */
static void mark_passed(struct words *words, LLVMValueRef instruction) {
  if (LLVMIsAReturnInst(instruction) && LLVMGetNumOperands(instruction) == 1) {
    if (may_pass_word(words, LLVMGetOperand(instruction, 0), instruction))
      mark_loads_of(words, LLVMGetOperand(instruction, 0), OTHERWISE);
  } else if (spgc_ir_is_call(instruction) && !spgc_ir_is_any_intrinsic(instruction)) {
    for (unsigned i = 0; i < LLVMGetNumArgOperands(instruction); i++)
      if (may_pass_word(words, LLVMGetArgOperand(instruction, i), instruction))
        mark_loads_of(words, LLVMGetArgOperand(instruction, i), OTHERWISE);
  }
}

/* A number that may be an address becomes a reference here, and not behind the next safepoint. */
static void mark_cast(struct words *words, LLVMValueRef instruction) {
  if (LLVMIsAIntToPtrInst(instruction) == NULL ||
      !spgc_ir_type_contains_reference(LLVMTypeOf(instruction)))
    return;
  LLVMValueRef number = LLVMGetOperand(instruction, 0);
  if (spgc_may_become_address(number, true))
    mark(instruction);
  if (may_pass_word(words, number, instruction))
    mark_loads_of(words, number, CASTS);
}

/* True for vectors of integers, too. */
static bool is_integer(LLVMTypeRef type) {
  bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
  return LLVMGetTypeKind(vector ? LLVMGetElementType(type) : type) == LLVMIntegerTypeKind;
}

/* The integer of which this one is the low part, or the same number in another width. */
static LLVMValueRef widest(LLVMValueRef integer) {
  while (LLVMIsATruncInst(integer) != NULL || LLVMIsAZExtInst(integer) != NULL ||
         LLVMIsASExtInst(integer) != NULL)
    integer = LLVMGetOperand(integer, 0);
  return integer;
}

/* A word that is compared with an address, or subtracted, has to be of the same moment; so have
 * their low parts. */
static void mark_compared(struct words *words, LLVMValueRef instruction) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
  if (opcode != LLVMICmp && opcode != LLVMSub && opcode != LLVMXor)
    return;
  bool equality = opcode == LLVMICmp && (LLVMGetICmpPredicate(instruction) == LLVMIntEQ ||
                                         LLVMGetICmpPredicate(instruction) == LLVMIntNE);
  for (unsigned i = 0; i < 2; i++) {
    LLVMValueRef word = widest(LLVMGetOperand(instruction, i)),
                 other = widest(LLVMGetOperand(instruction, 1 - i));
    if (!is_integer(LLVMTypeOf(word)) || !may_pass_word(words, word, instruction) ||
        !may_pass_word(words, other, instruction))
      continue;
    enum origin origin = spgc_write_origin(other);
    if (origin == ORIGIN_REFERENCE || (origin == ORIGIN_UNKNOWN && equality))
      mark_loads_of(words, word, OTHERWISE);
  }
}

/* A store to an object has to remain a store, because its barrier is decided by its address. */
static void hide(LLVMValueRef instruction) {
  if (LLVMIsAStoreInst(instruction) != NULL && spgc_ir_is_reference(LLVMGetOperand(instruction, 1)))
    spgc_note_store(instruction);
  else
    spgc_hide_access(instruction);
}

/* LLVM merges unordered accesses as it merges others, but not monotonic ones, which are the same
 * instructions. */
static void order(const struct words *words, LLVMValueRef instruction) {
  bool store = LLVMIsAStoreInst(instruction) != NULL;
  if ((store || LLVMIsALoadInst(instruction) != NULL) &&
      LLVMGetOrdering(instruction) == LLVMAtomicOrderingUnordered &&
      holds_words(words, store ? LLVMGetOperand(instruction, 0) : instruction))
    LLVMSetOrdering(instruction, LLVMAtomicOrderingMonotonic);
}

bool spgc_has_safepoints(LLVMModuleRef module) {
  IR_EACH_FUNCTION (function, module)
    if (!LLVMIsDeclaration(function) && spgc_ir_function_is_managed(function))
      return true;
  return false;
}

/* All accesses are judged before the first one is hidden. */
enum spgc_result spgc_hide_words(struct lowering *lowering, struct spgc_error *error) {
  struct words words = {.module = lowering->module,
                        .data = LLVMGetModuleDataLayout(lowering->module)};
  if (!spgc_has_safepoints(lowering->module))
    return SPGC_OK;
  LLVMContextRef context = LLVMGetModuleContext(lowering->module);
  unsigned kind = mark_kind(context);
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      IR_EACH_INSTRUCTION (instruction, block) {
        order(&words, instruction);
        mark_written(&words, instruction);
        mark_passed(&words, instruction);
        mark_cast(&words, instruction);
        mark_compared(&words, instruction);
      }
  IR_EACH_FUNCTION (function, lowering->module)
    IR_EACH_BLOCK (block, function)
      for (LLVMValueRef instruction = LLVMGetFirstInstruction(block), next; instruction != NULL;
           instruction = next) {
        next = LLVMGetNextInstruction(instruction);
        if (LLVMGetMetadata(instruction, kind) == NULL)
          continue;
        LLVMSetMetadata(instruction, kind, NULL);
        lowering->hides_words = true;
        hide(instruction);
      }
  return SPGC_OK;
}
