#include "spgc/lower.h"

#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/leaf.h"
#include "support/fatal.h"

/* An element of @llvm.global.annotations, which clang makes from
 * __attribute__((annotate("TEXT"))). */
enum { ANNOTATED, TEXT, ANNOTATION_MEMBERS = 5 };

static bool text_is(LLVMValueRef variable, const char *text) {
  LLVMValueRef content =
      LLVMIsAGlobalVariable(variable) != NULL ? LLVMGetInitializer(variable) : NULL;
  if (content == NULL || !LLVMIsConstantString(content))
    return false;
  size_t size;
  const char *characters = LLVMGetAsString(content, &size);
  return size == strlen(text) + 1 && memcmp(characters, text, size) == 0;
}

static void read_annotation(LLVMValueRef annotation) {
  if (LLVMIsAConstantStruct(annotation) == NULL ||
      LLVMGetNumOperands(annotation) != ANNOTATION_MEMBERS)
    return;
  LLVMValueRef annotated = LLVMGetOperand(annotation, ANNOTATED);
  static const char *const attributes[] = {"gc-leaf-function", "spgc-no-poll"};
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    if (LLVMIsAFunction(annotated) != NULL &&
        text_is(LLVMGetOperand(annotation, TEXT), attributes[i]))
      spgc_ir_add_string(annotated, attributes[i]);
}

/* Annotations would keep uncalled functions. */
static void read_annotations(LLVMModuleRef module) {
  LLVMValueRef variable = LLVMGetNamedGlobal(module, "llvm.global.annotations");
  LLVMValueRef annotations = variable != NULL ? LLVMGetInitializer(variable) : NULL;
  if (annotations != NULL && LLVMIsAConstantArray(annotations) != NULL)
    for (int i = 0; i < LLVMGetNumOperands(annotations); i++)
      read_annotation(LLVMGetOperand(annotations, (unsigned)i));
  if (variable != NULL)
    LLVMDeleteGlobal(variable);
}

/* Also true for a function without references whose calls are marked as leaves. */
static bool is_leaf(LLVMValueRef function) {
  return spgc_ir_function_uses_references(function) ? spgc_ir_is_marked_leaf(function)
                                                    : spgc_leaf_is_called_as_one(function);
}

/* The body of a naked function is assembly. */
static bool can_be_managed(LLVMValueRef function) {
  return !LLVMIsDeclaration(function) && !spgc_ir_function_is_managed(function) &&
         !spgc_ir_has_attribute(function, "naked") && !is_leaf(function);
}

static unsigned manage(LLVMModuleRef module, bool with_references_only) {
  read_annotations(module);
  unsigned managed = 0;
  IR_EACH_FUNCTION (function, module)
    if (can_be_managed(function) &&
        (!with_references_only || spgc_ir_function_uses_references(function))) {
      LLVMSetGC(function, "statepoint-example");
      managed++;
    }
  return managed;
}

unsigned spgc_manage_functions(LLVMModuleRef module) {
  spgc_require_use(module != NULL, "no module is given");
  return manage(module, true);
}

unsigned spgc_manage_all_functions(LLVMModuleRef module) {
  spgc_require_use(module != NULL, "no module is given");
  return manage(module, false);
}
