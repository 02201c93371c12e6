/* Rules for metadata that code generation reads without checking its form. LLVM's verifier reads
 * some of it in the same way, so these rules come before it. */
#include "codegen/check/check.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/objection.h"
#include "codegen/ir/values.h"
#include "support/fatal.h"

static bool is_node(LLVMValueRef value) {
  return value != NULL && LLVMIsAMDNode(value) != NULL && LLVMIsAValueAsMetadata(value) == NULL;
}

static bool is_string(LLVMValueRef value) {
  return value != NULL && LLVMIsAMDString(value) != NULL;
}

static bool is_integer(LLVMValueRef value) {
  return value != NULL && LLVMIsAConstantInt(value) != NULL &&
         LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64;
}

static bool is_node_of(LLVMValueRef value, bool (*is_formed)(LLVMValueRef operand)) {
  if (!is_node(value))
    return false;
  unsigned count = LLVMGetMDNodeNumOperands(value);
  LLVMValueRef *operands = spgc_zeroed(count, sizeof *operands);
  LLVMGetMDNodeOperands(value, operands);
  bool all = true;
  for (unsigned i = 0; i < count; i++)
    all = all && is_formed(operands[i]);
  free((void *)operands);
  return all;
}

/* Reads the operands of a node that has three; a null operand is NULL. */
static bool read_three(LLVMValueRef value, LLVMValueRef operands[3]) {
  bool are_three = is_node(value) && LLVMGetMDNodeNumOperands(value) == 3;
  if (are_three)
    LLVMGetMDNodeOperands(value, operands);
  return are_three;
}

static bool is_strings(LLVMValueRef value) {
  return is_node_of(value, is_string);
}

static bool is_one_string(LLVMValueRef value) {
  return is_strings(value) && LLVMGetMDNodeNumOperands(value) == 1;
}

static bool is_string_pair(LLVMValueRef value) {
  return is_strings(value) && LLVMGetMDNodeNumOperands(value) == 2;
}

/* { i64, i64, string } */
static bool is_probe(LLVMValueRef value) {
  LLVMValueRef operands[3];
  return read_three(value, operands) && is_integer(operands[0]) && is_integer(operands[1]) &&
         is_string(operands[2]);
}

static bool is_null_or_function(LLVMValueRef operand) {
  return operand == NULL || LLVMIsAFunction(operand) != NULL;
}

/* { function or null, function or null, i64 } */
static bool is_call_edge(LLVMValueRef value) {
  LLVMValueRef operands[3];
  return read_three(value, operands) && is_null_or_function(operands[0]) &&
         is_null_or_function(operands[1]) && is_integer(operands[2]);
}

static bool is_call_profile(LLVMValueRef value) {
  return is_node_of(value, is_call_edge);
}

/* LLVM converts the values of these flags without checking their kinds. */
static bool flag_is_formed(const char *name, size_t length, LLVMValueRef value) {
  static const char *const strings[] = {"stack-protector-guard", "stack-protector-guard-reg",
                                        "stack-protector-guard-symbol"};
  static const char *const integers[] = {"RtLibUseGOT",
                                         "CodeView",
                                         "CodeViewGHash",
                                         "Dwarf Version",
                                         "DWARF64",
                                         "PIC Level",
                                         "PIE Level",
                                         "Code Model",
                                         "Large Data Threshold",
                                         "uwtable",
                                         "frame-pointer",
                                         "MaxTLSAlign",
                                         "override-stack-alignment",
                                         "wchar_size",
                                         "direct-access-external-data",
                                         "cf-protection-branch",
                                         "cf-protection-return",
                                         "NumRegisterParameters",
                                         "stack-protector-guard-offset"};
  if (spgc_ir_text_is(name, length, "CG Profile"))
    return is_call_profile(value);
  if (spgc_ir_text_is_among(name, length, strings, sizeof strings / sizeof *strings))
    return is_string(value);
  return is_integer(value) ||
         !spgc_ir_text_is_among(name, length, integers, sizeof integers / sizeof *integers);
}

static enum spgc_result no_control_flow_guard(struct spgc_error *error) {
  spgc_error_set(error, SPGC_ERROR_REJECTED, 0,
                 "module flag 'cfguard': Control Flow Guard is Windows's, and LLVM has no "
                 "code for it here; compile without -mguard or /guard:cf");
  return spgc_error_of_rule(error, 47);
}

static enum spgc_result check_flag(LLVMContextRef context, LLVMModuleFlagEntry *entries, unsigned i,
                                   struct spgc_error *error) {
  size_t length;
  const char *name = LLVMModuleFlagEntriesGetKey(entries, i, &length);
  LLVMMetadataRef metadata = LLVMModuleFlagEntriesGetMetadata(entries, i);
  if (spgc_ir_text_is(name, length, "cfguard"))
    return no_control_flow_guard(error);
  LLVMValueRef value = metadata != NULL ? LLVMMetadataAsValue(context, metadata) : NULL;
  if (value != NULL && LLVMIsAValueAsMetadata(value) != NULL)
    LLVMGetMDNodeOperands(value, &value);
  if (flag_is_formed(name, length, value))
    return SPGC_OK;
  spgc_error_set(error, SPGC_ERROR_REJECTED, 0,
                 "module flag '%.*s': its value is not of the kind that LLVM reads; give it "
                 "the one in the LLVM Language Reference, or remove the flag",
                 (int)length, name);
  return spgc_error_of_rule(error, 47);
}

static enum spgc_result check_flags(LLVMModuleRef module, struct spgc_error *error) {
  size_t count;
  LLVMModuleFlagEntry *entries = LLVMCopyModuleFlagsMetadata(module, &count);
  enum spgc_result result = SPGC_OK;
  for (unsigned i = 0; i < count && result == SPGC_OK; i++)
    result = check_flag(LLVMGetModuleContext(module), entries, i, error);
  LLVMDisposeModuleFlagsMetadata(entries);
  return result;
}

struct form_of_metadata {
  const char *name;
  bool (*is_formed)(LLVMValueRef value);
};

static enum spgc_result check_list(LLVMModuleRef module, const struct form_of_metadata *form,
                                   struct spgc_error *error) {
  unsigned count = LLVMGetNamedMetadataNumOperands(module, form->name);
  LLVMValueRef *nodes = spgc_zeroed(count, sizeof *nodes);
  LLVMGetNamedMetadataOperands(module, form->name, nodes);
  bool good = true;
  for (unsigned i = 0; i < count; i++)
    good = good && form->is_formed(nodes[i]);
  free(nodes);
  if (good)
    return SPGC_OK;
  spgc_error_set(error, SPGC_ERROR_REJECTED, 0,
                 "metadata '!%s': its nodes do not have the form that LLVM reads; write "
                 "them as the LLVM Language Reference says, or remove them",
                 form->name);
  return spgc_error_of_rule(error, 47);
}

enum spgc_result spgc_check_metadata(LLVMModuleRef module, struct spgc_error *error) {
  static const struct form_of_metadata lists[] = {{"llvm.linker.options", is_strings},
                                                  {"llvm.dependent-libraries", is_one_string},
                                                  {"llvm.pseudo_probe_desc", is_probe}};
  enum spgc_result result = check_flags(module, error);
  for (size_t i = 0; i < sizeof lists / sizeof *lists && result == SPGC_OK; i++)
    result = check_list(module, &lists[i], error);
  return result;
}

bool spgc_section_prefix_is_formed(LLVMValueRef function) {
  size_t count;
  LLVMValueMetadataEntry *entries = LLVMGlobalCopyAllMetadata(function, &count);
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  unsigned kind = LLVMGetMDKindIDInContext(context, "section_prefix", strlen("section_prefix"));
  bool good = true;
  for (unsigned i = 0; i < count; i++)
    if (LLVMValueMetadataEntriesGetKind(entries, i) == kind)
      good = is_string_pair(
          LLVMMetadataAsValue(context, LLVMValueMetadataEntriesGetMetadata(entries, i)));
  LLVMDisposeValueMetadataEntries(entries);
  return good;
}
