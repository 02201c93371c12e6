/* A target machine made through LLVM's C API puts constructors into .ctors sections, which lld
 * drops. So they are put into .init_array and .fini_array (System V ABI, initialisation and
 * termination functions). */
#include <stdbool.h>
#include <stdio.h>

#include "codegen/check/refusal_place.h"
#include "codegen/ir/ir.h"
#include "codegen/ir/prelude.h"
#include "codegen/lower/phases.h"
#include "support/fatal.h"

enum { OWN_PRIORITY = 101, DEFAULT_PRIORITY = 65535 };

/* Lower priorities run earlier at load, later at exit. */
static void place(LLVMModuleRef module, LLVMValueRef function, const char *array,
                  unsigned long priority) {
  char section[64];
  if (priority == DEFAULT_PRIORITY)
    snprintf(section, sizeof section, ".%s", array);
  else
    snprintf(section, sizeof section, ".%s.%05lu", array, priority);
  LLVMValueRef pointer = LLVMAddGlobal(module, LLVMTypeOf(function), PRELUDE_PREFIX "array");
  LLVMSetInitializer(pointer, function);
  LLVMSetLinkage(pointer, LLVMInternalLinkage);
  LLVMSetSection(pointer, section);
  LLVMSetAlignment(pointer, sizeof(void *));
}

void spgc_constructor_add(LLVMValueRef function) {
  place(LLVMGetGlobalParent(function), function, "init_array", OWN_PRIORITY);
}

void spgc_destructor_add(LLVMValueRef function) {
  place(LLVMGetGlobalParent(function), function, "fini_array", OWN_PRIORITY);
}

/* Entries are { priority, function, data }; a null function ends the list. */
static void move_list(LLVMModuleRef module, const char *list, const char *array) {
  LLVMValueRef variable = LLVMGetNamedGlobal(module, list);
  LLVMValueRef entries = variable != NULL ? LLVMGetInitializer(variable) : NULL;
  if (entries == NULL)
    return;
  uint64_t count = LLVMGetArrayLength2(LLVMTypeOf(entries));
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef entry = LLVMGetAggregateElement(entries, i);
    LLVMValueRef function = LLVMGetAggregateElement(entry, 1);
    if (LLVMIsNull(function))
      break;
    place(module, function, array, LLVMConstIntGetZExtValue(LLVMGetAggregateElement(entry, 0)));
  }
  LLVMDeleteGlobal(variable);
}

enum spgc_result spgc_place_constructors(struct lowering *lowering, struct spgc_error *error) {
  static const char *const lists[] = {"llvm.global_ctors", "llvm.global_dtors"};
  static const char *const arrays[] = {"init_array", "fini_array"};
  static const struct objection not_run = {25, "the JIT runs no constructors",
                                           "call the functions yourself"};
  for (int i = 0; i < 2; i++) {
    LLVMValueRef list = LLVMGetNamedGlobal(lowering->module, lists[i]);
    if (lowering->options->code == SPGC_CODE_AHEAD_OF_TIME)
      move_list(lowering->module, lists[i], arrays[i]);
    else if (list != NULL && spgc_reject(list, NULL, &not_run, error) != SPGC_OK)
      return SPGC_ERROR_REJECTED;
  }
  return SPGC_OK;
}
