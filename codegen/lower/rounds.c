/* The starts of the rounds of loops, where the program has safepoints.
 *
 * An address as a number, or a word that may be a reference, is of the moment: it is stale after
 * the next safepoint. A loop polls once in each round. Where in a round matters to such numbers: a
 * header computes one, and the round uses it. Polls are placed when the optimiser is done, and by
 * then the header may be at the end of the rounds, behind which a poll would come between.
 *
 * So a note stands at the start of each header while the optimiser runs, and at the entry of each
 * function, because a tail call of itself becomes a loop. It claims to write the memory that the
 * calls that read addresses and words claim to write (addresses.c, words.c), so it keeps its place
 * among them. Polls of such loops are placed at notes (poll.c).
 *
 * Only loops that read addresses, here or in functions of the module that they call, have notes.
 * Others are not changed by a note, and it does not matter where they poll. */
#include <stdlib.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/leaf.h"
#include "codegen/ir/loops.h"
#include "codegen/ir/lowering.h"
#include "codegen/ir/prelude.h"
#include "codegen/ir/values.h"
#include "support/fatal.h"

static const char note_name[] = PRELUDE_PREFIX "round";

struct function {
  LLVMValueRef function;
  bool reads;          /* addresses, or calls what does */
  bool calls_pointers; /* a function that is not named */
};

struct functions {
  struct function *at; /* sorted by address */
  size_t count;
  struct values waiting; /* those found to read whose callers are not yet told */
  bool pointed_reads;    /* one whose address is taken */
};

static int compare(const void *a, const void *b) {
  LLVMValueRef left = ((const struct function *)a)->function;
  LLVMValueRef right = ((const struct function *)b)->function;
  return left < right ? -1 : left > right;
}

static struct function *find(const struct functions *functions, LLVMValueRef function) {
  const struct function wanted = {.function = function};
  return bsearch(&wanted, functions->at, functions->count, sizeof wanted, compare);
}

/* Copies between objects leave no number behind. */
static bool is_hidden_copy(LLVMValueRef call) {
  return spgc_ir_is_transfer(call) && !spgc_ir_is_any_intrinsic(call) &&
         !(spgc_ir_is_reference(LLVMGetArgOperand(call, 0)) &&
           spgc_ir_is_reference(LLVMGetArgOperand(call, 1)));
}

/* True for calls that are hidden from the optimiser, and for leaves that do what they do. */
static bool reads_itself(LLVMValueRef instruction) {
  if (!spgc_ir_is_call(instruction))
    return false;
  LLVMValueRef callee = spgc_ir_callee(instruction);
  if (callee != NULL && (spgc_ir_name_starts_with(callee, PRELUDE_PREFIX "address_of") ||
                         spgc_ir_name_starts_with(callee, PRELUDE_PREFIX "word.") ||
                         spgc_ir_name_starts_with(callee, PRELUDE_PREFIX "call.")))
    return true;
  return is_hidden_copy(instruction) || spgc_leaf_gives_address(instruction) ||
         spgc_leaf_may_store_address(instruction);
}

static bool calls_pointer(LLVMValueRef instruction) {
  if (!spgc_ir_is_call(instruction) || LLVMIsAInlineAsm(LLVMGetCalledValue(instruction)) != NULL)
    return false;
  LLVMValueRef callee = spgc_ir_callee(instruction);
  return callee == NULL || LLVMIsAFunction(callee) == NULL;
}

static bool reads(const struct functions *functions, LLVMValueRef instruction) {
  if (!spgc_ir_is_call(instruction))
    return false;
  const struct function *callee = find(functions, spgc_ir_callee(instruction));
  return reads_itself(instruction) || (callee != NULL && callee->reads) ||
         (functions->pointed_reads && calls_pointer(instruction));
}

static void add_reader(struct functions *functions, LLVMValueRef function) {
  struct function *reader = find(functions, function);
  if (reader == NULL || reader->reads)
    return;
  reader->reads = true;
  spgc_values_add(&functions->waiting, function);
}

static void read_function(struct functions *functions, struct function *function) {
  bool reads = false;
  IR_EACH_BLOCK (block, function->function)
    IR_EACH_INSTRUCTION (instruction, block) {
      reads = reads || reads_itself(instruction);
      function->calls_pointers = function->calls_pointers || calls_pointer(instruction);
    }
  if (reads)
    add_reader(functions, function->function);
}

/* Functions that are not named where they are called may be named once the module is optimised. */
static void add_callers_of_pointers(struct functions *functions) {
  if (functions->pointed_reads)
    return;
  functions->pointed_reads = true;
  for (size_t i = 0; i < functions->count; i++)
    if (functions->at[i].calls_pointers)
      add_reader(functions, functions->at[i].function);
}

static void add_callers(struct functions *functions, LLVMValueRef function) {
  for (LLVMUseRef use = LLVMGetFirstUse(function); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (spgc_ir_is_call(user) && spgc_ir_callee(user) == function)
      add_reader(functions, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
    else
      add_callers_of_pointers(functions);
  }
}

static void find_readers(struct functions *functions, LLVMModuleRef module) {
  size_t count = 0;
  IR_EACH_FUNCTION (function, module)
    count += !LLVMIsDeclaration(function);
  functions->at = calloc(count + 1, sizeof *functions->at);
  spgc_require(functions->at != NULL, "out of memory");
  IR_EACH_FUNCTION (function, module)
    if (!LLVMIsDeclaration(function))
      functions->at[functions->count++].function = function;
  qsort(functions->at, functions->count, sizeof *functions->at, compare);
  for (size_t i = 0; i < functions->count; i++)
    read_function(functions, &functions->at[i]);
  for (unsigned i = 0; i < functions->waiting.count; i++)
    add_callers(functions, functions->waiting.at[i]);
}

static void note_before(LLVMModuleRef module, LLVMValueRef instruction) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderBefore(builder, instruction);
  LLVMBuildCall2(builder, type, spgc_note_function(module, note_name, type), NULL, 0, "");
  LLVMDisposeBuilder(builder);
}

/* Behind a landing pad's first call, because that asks for the exception. NULL where no call may
 * be. */
static LLVMValueRef start_of(LLVMBasicBlockRef block) {
  LLVMValueRef first = LLVMGetFirstInstruction(block);
  while (LLVMIsAPHINode(first) != NULL)
    first = LLVMGetNextInstruction(first);
  if (LLVMIsACatchSwitchInst(first) != NULL || LLVMIsAFuncletPadInst(first) != NULL)
    return NULL;
  if (LLVMIsALandingPadInst(first) == NULL)
    return first;
  LLVMValueRef second = LLVMGetNextInstruction(first);
  for (LLVMValueRef at = second; at != NULL; at = LLVMGetNextInstruction(at))
    if (LLVMIsACallInst(at) != NULL)
      return spgc_ir_call_is_leaf(at) && !reads_itself(at) ? LLVMGetNextInstruction(at) : second;
  return second;
}

static void note_start(LLVMModuleRef module, LLVMBasicBlockRef block) {
  LLVMValueRef start = start_of(block);
  if (start != NULL)
    note_before(module, start);
}

/* Marks the loops that read addresses, and those around them. */
static void mark_loops(const struct functions *functions, const struct loops *loops, bool *marked) {
  for (size_t i = 0; i < loops->block_count; i++)
    for (LLVMValueRef at = LLVMGetFirstInstruction(loops->blocks[i].block); at != NULL;
         at = LLVMGetNextInstruction(at))
      if (reads(functions, at))
        for (int loop = loops->blocks[i].loop; loop != NO_LOOP && !marked[loop];
             loop = loops->loops[loop].parent)
          marked[loop] = true;
}

/* True if an edge leads back in the order in which the program was written to a block that is no
 * header. */
static bool leads_back(const struct loops *loops, const unsigned *places, unsigned block) {
  const struct flow_edges *edges = &loops->predecessors;
  for (unsigned e = edges->first[block]; e < edges->first[block + 1]; e++)
    if (places[block] <= places[edges->at[e]] && !spgc_loops_dominates(loops, block, edges->at[e]))
      return true;
  return false;
}

/* A cycle with several entries has no header. Its rounds start where the program leads back. */
static void note_irregular(LLVMModuleRef module, LLVMValueRef function, const struct loops *loops) {
  unsigned *places = calloc(loops->block_count + 1, sizeof *places), place = 0;
  spgc_require(places != NULL, "out of memory");
  IR_EACH_BLOCK (block, function)
    if (spgc_loops_reaches(loops, block))
      places[spgc_loops_number(loops, block)] = place++;
  for (unsigned i = 0; i < loops->block_count; i++)
    if (leads_back(loops, places, i) && !spgc_is_round(start_of(loops->blocks[i].block)))
      note_start(module, loops->blocks[i].block);
  free(places);
}

static void note_loops(const struct functions *functions, LLVMModuleRef module,
                       LLVMValueRef function) {
  struct loops loops;
  spgc_loops_find(&loops, function);
  bool *marked = calloc(loops.loop_count + 1, sizeof *marked);
  spgc_require(marked != NULL, "out of memory");
  mark_loops(functions, &loops, marked);
  for (size_t i = 0; i < loops.loop_count; i++)
    if (marked[i])
      note_start(module, loops.blocks[loops.loops[i].header].block);
  if (loops.irregular_count != 0)
    note_irregular(module, function, &loops);
  free(marked);
  spgc_loops_free(&loops);
}

/* A leaf has no safepoints. A function that is not managed may yet become a part of a managed one,
 * but at its entry there is none. */
enum spgc_result spgc_note_rounds(struct lowering *lowering, struct spgc_error *error) {
  struct functions functions = {0};
  find_readers(&functions, lowering->module);
  for (size_t i = 0; i < functions.count; i++) {
    LLVMValueRef function = functions.at[i].function;
    if (!functions.at[i].reads || spgc_ir_function_is_leaf(function))
      continue;
    note_loops(&functions, lowering->module, function);
    if (spgc_ir_function_is_managed(function))
      note_before(lowering->module, spgc_first_after_parameters(function));
  }
  free(functions.at);
  spgc_values_free(&functions.waiting);
  return SPGC_OK;
}

bool spgc_is_round(LLVMValueRef instruction) {
  LLVMValueRef callee =
      instruction != NULL && spgc_ir_is_call(instruction) ? spgc_ir_callee(instruction) : NULL;
  return callee != NULL && spgc_ir_name_is(callee, note_name);
}

void spgc_forget_rounds(LLVMModuleRef module) {
  LLVMValueRef note = LLVMGetNamedFunction(module, note_name);
  if (note == NULL)
    return;
  for (LLVMUseRef use; (use = LLVMGetFirstUse(note)) != NULL;)
    LLVMInstructionEraseFromParent(LLVMGetUser(use));
  LLVMDeleteFunction(note);
}
