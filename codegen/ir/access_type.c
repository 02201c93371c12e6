/* The metadata's form: https://llvm.org/docs/LangRef.html#tbaa-metadata. A tag is (base type,
 * access type, offset), a scalar type is (name, parent, offset). */
#include "codegen/ir/access_type.h"

#include <string.h>

enum { TAG_ACCESS = 1, TYPE_NAME = 0, TYPE_PARENT = 1, MOST_OPERANDS = 4, MOST_PARENTS = 8 };

/* NULL when there is no such operand. Structure types have more operands than are needed here. */
static LLVMValueRef operand_of(LLVMValueRef node, unsigned index) {
  LLVMValueRef operands[MOST_OPERANDS];
  if (node == NULL || !LLVMIsAMDNode(node) || LLVMGetMDNodeNumOperands(node) > MOST_OPERANDS ||
      index >= LLVMGetMDNodeNumOperands(node))
    return NULL;
  LLVMGetMDNodeOperands(node, operands);
  return operands[index];
}

static LLVMValueRef access_type(LLVMValueRef access) {
  unsigned kind = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(access)), "tbaa", 4);
  return operand_of(LLVMGetMetadata(access, kind), TAG_ACCESS);
}

static bool has_name(LLVMValueRef type, const char *sought) {
  LLVMValueRef operand = operand_of(type, TYPE_NAME);
  unsigned length;
  const char *name = operand != NULL ? LLVMGetMDString(operand, &length) : NULL;
  return name != NULL && length == strlen(sought) && memcmp(name, sought, length) == 0;
}

/* Metadata of the lowering's own, which optimisers drop where they merge accesses. */
static unsigned number_kind(LLVMContextRef context) {
  static const char name[] = "spgc.number";
  return LLVMGetMDKindIDInContext(context, name, sizeof name - 1);
}

bool spgc_access_is_declared_number(LLVMValueRef access) {
  return LLVMGetMetadata(access, number_kind(LLVMGetTypeContext(LLVMTypeOf(access)))) != NULL;
}

void spgc_access_declare_number(LLVMValueRef access) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(access));
  LLVMMetadataRef node = LLVMMDNodeInContext2(context, NULL, 0);
  LLVMSetMetadata(access, number_kind(context), LLVMMetadataAsValue(context, node));
}

static bool is_small_number(LLVMValueRef type) {
  static const char *const names[] = {"int", "short", "double", "float", "bool", "_Bool"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (has_name(type, names[i]))
      return true;
  return false;
}

bool spgc_access_is_of_number(LLVMValueRef access) {
  LLVMValueRef type = access_type(access);
  return is_small_number(type) || has_name(type, "long") || has_name(type, "long long");
}

/* The metadata's form: https://llvm.org/docs/LangRef.html#tbaa-struct-metadata. For each field its
 * offset, its size and its tag. */
bool spgc_copy_is_of_numbers(LLVMValueRef transfer) {
  enum { FIELD = 3, FIELD_TAG = 2, MOST_FIELDS = 32 };
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(transfer));
  unsigned kind = LLVMGetMDKindIDInContext(context, "tbaa.struct", strlen("tbaa.struct"));
  LLVMValueRef fields = LLVMGetMetadata(transfer, kind), operands[FIELD * MOST_FIELDS];
  unsigned count = fields != NULL ? (unsigned)LLVMGetMDNodeNumOperands(fields) : 0;
  if (count == 0 || count % FIELD != 0 || count > FIELD * MOST_FIELDS)
    return false;
  LLVMGetMDNodeOperands(fields, operands);
  for (unsigned i = FIELD_TAG; i < count; i += FIELD)
    if (!is_small_number(operand_of(operands[i], TAG_ACCESS)))
      return false;
  return true;
}

/* clang gives all pointers one name; some versions derive a type for each kind of pointer from
 * it. */
bool spgc_access_is_of_pointer(LLVMValueRef access) {
  LLVMValueRef type = access_type(access);
  for (unsigned i = 0; i < MOST_PARENTS && type != NULL; i++, type = operand_of(type, TYPE_PARENT))
    if (has_name(type, "any pointer"))
      return true;
  return false;
}
