/* Rule for calls that return twice (setjmp) in a function without gc: they are refused when managed
 * functions run in between. Such a call restores callee-saved registers from before a collection,
 * and they may hold a managed caller's references.
 *
 * The functions in between are searched as far as the module shows them: functions that are called,
 * or passed to a call, by name, and, for calls through pointers, every managed function whose
 * address is taken.
 */
#include "codegen/check/check.h"

#include <stdlib.h>

#include "codegen/ir/ir.h"

/* The module's functions, ordered by address, and those that the search has met. */
struct search {
  LLVMValueRef *functions;
  bool *met;
  size_t count;
  bool takes_addresses; /* some managed function's address is taken */
  bool finds_managed;
};

static int compare_addresses(const void *left, const void *right) {
  uintptr_t a = (uintptr_t)*(LLVMValueRef const *)left, b = (uintptr_t)*(LLVMValueRef const *)right;
  return (a > b) - (a < b);
}

static bool address_is_taken(LLVMValueRef function) {
  for (LLVMUseRef use = LLVMGetFirstUse(function); use != NULL; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAInstruction(user) || !spgc_ir_is_call(user) || spgc_ir_callee(user) != function)
      return true;
  }
  return false;
}

static bool start(struct search *search, LLVMModuleRef module) {
  size_t count = 0;
  IR_EACH_FUNCTION (function, module)
    count++;
  *search = (struct search){.functions = malloc((count + 1) * sizeof *search->functions),
                            .met = calloc(count + 1, sizeof *search->met)};
  if (search->functions == NULL || search->met == NULL)
    return false;
  IR_EACH_FUNCTION (function, module) {
    search->functions[search->count++] = function;
    search->takes_addresses |= spgc_ir_function_is_managed(function) && address_is_taken(function);
  }
  qsort((void *)search->functions, count, sizeof *search->functions, compare_addresses);
  return true;
}

static void finish(struct search *search) {
  free((void *)search->functions);
  free(search->met);
}

static void visit(struct search *search, LLVMValueRef function);

static void visit_call(struct search *search, LLVMValueRef call) {
  if (spgc_ir_call_is_leaf(call))
    return;
  bool through_pointer =
      spgc_ir_callee(call) == NULL && !LLVMIsAInlineAsm(LLVMGetCalledValue(call));
  search->finds_managed |= through_pointer && search->takes_addresses;
  for (int i = 0; i < LLVMGetNumOperands(call) && !search->finds_managed; i++) {
    LLVMValueRef operand = LLVMGetOperand(call, (unsigned)i);
    if (LLVMIsAFunction(operand))
      visit(search, operand);
  }
}

static void visit(struct search *search, LLVMValueRef function) {
  LLVMValueRef *found = bsearch((const void *)&function, (const void *)search->functions,
                                search->count, sizeof *search->functions, compare_addresses);
  bool *met = &search->met[found - search->functions];
  if (*met || search->finds_managed)
    return;
  *met = true;
  search->finds_managed = spgc_ir_function_is_managed(function);
  IR_EACH_BLOCK (block, function)
    IR_EACH_INSTRUCTION (instruction, block)
      if (spgc_ir_is_call(instruction) && !search->finds_managed)
        visit_call(search, instruction);
}

/* Frontends may forget the attribute of functions of the C library. The intrinsics have none,
 * although they come back with the stack of the first time, too. */
static bool is_known_to_return_twice(LLVMValueRef callee) {
  static const char *const names[] = {"setjmp",     "_setjmp",     "__setjmp", "sigsetjmp",
                                      "_sigsetjmp", "__sigsetjmp", "savectx",  "getcontext"};
  static const char *const intrinsics[] = {"llvm.eh.sjlj.setjmp", "llvm.eh.sjlj.setup.dispatch"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (LLVMIsDeclaration(callee) && spgc_ir_name_is(callee, names[i]))
      return true;
  for (size_t i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++)
    if (spgc_ir_name_is(callee, intrinsics[i]))
      return true;
  return false;
}

bool spgc_check_call_returns_twice(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  return spgc_ir_call_has_attribute(call, "returns_twice") ||
         (callee != NULL && (spgc_ir_function_has_attribute(callee, "returns_twice") ||
                             is_known_to_return_twice(callee)));
}

const struct objection *spgc_check_second_return(LLVMValueRef instruction) {
  static const struct objection objection = {
      35,
      "setjmp in a function whose calls lead to managed functions restores its callers' registers, "
      "and with them references from before a collection",
      "call the function by spgc_protect, and leave it by spgc_leave (spgc/protect.h)"};
  static const struct objection no_memory = {
      35, "there is not enough memory to find the functions that are called", "try again"};
  if (!spgc_ir_is_call(instruction) || !spgc_check_call_returns_twice(instruction))
    return NULL;
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
  if (spgc_ir_function_is_managed(function))
    return NULL;
  struct search search;
  bool has_memory = start(&search, LLVMGetGlobalParent(function));
  if (has_memory)
    visit(&search, function);
  finish(&search);
  if (!has_memory)
    return &no_memory;
  return search.finds_managed ? &objection : NULL;
}
