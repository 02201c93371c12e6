/* Rules for metadata that code generation reads without checking its form. LLVM's verifier reads
 * some of it in the same way, so these rules come before it. */
#include "codegen/check/check.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/ir/ir.h"
#include "codegen/ir/objection.h"
#include "codegen/ir/values.h"
#include "support/fatal.h"

/* The operands of a metadata node; a null operand is NULL. */
struct node {
  LLVMValueRef *operands;
  unsigned count;
};

static struct node node_read(LLVMValueRef value) {
  struct node node = {NULL, LLVMGetMDNodeNumOperands(value)};
  node.operands = spgc_zeroed(node.count, sizeof *node.operands);
  LLVMGetMDNodeOperands(value, node.operands);
  return node;
}

static void node_free(struct node *node) {
  free(node->operands);
}

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
  struct node node = node_read(value);
  bool all = true;
  for (unsigned i = 0; i < node.count; i++)
    all = all && is_formed(node.operands[i]);
  node_free(&node);
  return all;
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
  if (!is_node(value))
    return false;
  struct node node = node_read(value);
  bool good = node.count == 3 && is_integer(node.operands[0]) && is_integer(node.operands[1]) &&
              is_string(node.operands[2]);
  node_free(&node);
  return good;
}

/* { function or null, function or null, i64 } */
static bool is_call_edge(LLVMValueRef value) {
  if (!is_node(value))
    return false;
  struct node node = node_read(value);
  bool good = node.count == 3 && is_integer(node.operands[2]);
  for (unsigned i = 0; i < 2 && good; i++)
    good = node.operands[i] == NULL || LLVMIsAFunction(node.operands[i]) != NULL;
  node_free(&node);
  return good;
}

static bool is_call_profile(LLVMValueRef value) {
  return is_node_of(value, is_call_edge);
}

struct form_of_metadata {
  const char *name;
  bool (*is_formed)(LLVMValueRef value);
};

/* LLVM converts the values of these flags without checking their kinds. */
static const struct form_of_metadata flags[] = {
    {"CG Profile", is_call_profile},
    {"RtLibUseGOT", is_integer},
    {"CodeView", is_integer},
    {"CodeViewGHash", is_integer},
    {"Dwarf Version", is_integer},
    {"DWARF64", is_integer},
    {"PIC Level", is_integer},
    {"PIE Level", is_integer},
    {"Code Model", is_integer},
    {"Large Data Threshold", is_integer},
    {"uwtable", is_integer},
    {"frame-pointer", is_integer},
    {"MaxTLSAlign", is_integer},
    {"override-stack-alignment", is_integer},
    {"wchar_size", is_integer},
    {"direct-access-external-data", is_integer},
    {"cf-protection-branch", is_integer},
    {"cf-protection-return", is_integer},
    {"NumRegisterParameters", is_integer},
    {"stack-protector-guard-offset", is_integer},
    {"stack-protector-guard", is_string},
    {"stack-protector-guard-reg", is_string},
    {"stack-protector-guard-symbol", is_string},
};

static const struct form_of_metadata *form_of_flag(const char *name, size_t length) {
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (spgc_ir_text_is(name, length, flags[i].name))
      return &flags[i];
  return NULL;
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
  const struct form_of_metadata *form = form_of_flag(name, length);
  LLVMValueRef value = metadata != NULL ? LLVMMetadataAsValue(context, metadata) : NULL;
  if (value != NULL && LLVMIsAValueAsMetadata(value) != NULL)
    LLVMGetMDNodeOperands(value, &value);
  if (form == NULL || form->is_formed(value))
    return SPGC_OK;
  spgc_error_set(error, SPGC_ERROR_REJECTED, 0,
                 "module flag '%s': its value is not of the kind that LLVM reads; give it "
                 "the one in the LLVM Language Reference, or remove the flag",
                 form->name);
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
