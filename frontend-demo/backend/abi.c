#include "frontend-demo/backend/abi.h"

#include <string.h>

#include "frontend-demo/backend/require.h"

static LLVMMetadataRef text_node(LLVMContextRef context, const char *text) {
  return LLVMMDStringInContext2(context, text, strlen(text));
}

/* https://llvm.org/docs/BranchWeightMetadata.html */
static void describe_branches(struct lox_abi *abi) {
  LLVMContextRef context = abi->context;
  LLVMTypeRef int32 = LLVMInt32TypeInContext(context);
  LLVMMetadataRef fields[] = {text_node(context, "branch_weights"),
                              LLVMValueAsMetadata(LLVMConstInt(int32, 2000, false)),
                              LLVMValueAsMetadata(LLVMConstInt(int32, 1, false))};
  abi->likely = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, fields, 3));
  abi->likely_kind = LLVMGetMDKindIDInContext(context, "prof", strlen("prof"));
}

void lox_abi_init(struct lox_abi *abi, LLVMContextRef context,
                  const struct lox_language *language) {
  abi->language = language;
  abi->context = context;
  abi->value = LLVMPointerTypeInContext(context, 1);
  abi->pointer = LLVMPointerTypeInContext(context, 0);
  abi->word = LLVMInt64TypeInContext(context);
  abi->number = LLVMDoubleTypeInContext(context);
  abi->boolean = LLVMInt1TypeInContext(context);
  abi->nothing = LLVMVoidTypeInContext(context);
  describe_branches(abi);
}

static LLVMTypeRef type_of_letter(const struct lox_abi *abi, char letter) {
  switch (letter) {
  case 'v': return abi->value;
  case 'p': return abi->pointer;
  case 'i': return abi->word;
  case 'b': return abi->boolean;
  case '-': return abi->nothing;
  default: lox_require(false, "no type has the letter '%c'", letter); return NULL;
  }
}

LLVMAttributeRef lox_abi_attribute(const struct lox_abi *abi, const char *name) {
  unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
  lox_require(kind != 0, "LLVM knows no attribute %s", name);
  return LLVMCreateEnumAttribute(abi->context, kind, 0);
}

LLVMAttributeRef lox_abi_string_attribute(const struct lox_abi *abi, const char *name,
                                          const char *text) {
  return LLVMCreateStringAttribute(abi->context, name, (unsigned)strlen(name), text,
                                   (unsigned)strlen(text));
}

static void add_attribute(LLVMValueRef function, LLVMAttributeRef attribute) {
  LLVMAddAttributeAtIndex(function, LOX_ON_THE_FUNCTION, attribute);
}

static void describe_calls(const struct lox_abi *abi, LLVMValueRef function, enum lox_calls calls) {
  switch (calls) {
  case LOX_CALLS_SAFEPOINT: break;
  case LOX_CALLS_RARELY: add_attribute(function, lox_abi_attribute(abi, "cold")); break;
  case LOX_CALLS_NEVER_BACK:
    add_attribute(function, lox_abi_attribute(abi, "cold"));
    add_attribute(function, lox_abi_attribute(abi, "noreturn"));
    break;
  case LOX_CALLS_LEAF:
    add_attribute(function, lox_abi_attribute(abi, "nounwind"));
    add_attribute(function, lox_abi_string_attribute(abi, "gc-leaf-function", ""));
    break;
  }
}

struct lox_callee lox_abi_entry(const struct lox_abi *abi, LLVMModuleRef module, unsigned entry) {
  const struct lox_entry_row *point = &abi->language->entries[entry];
  LLVMTypeRef parameters[4];
  unsigned count = 0;
  for (const char *letter = point->signature + 1; *letter; letter++)
    parameters[count++] = type_of_letter(abi, *letter);
  LLVMTypeRef type =
      LLVMFunctionType(type_of_letter(abi, point->signature[0]), parameters, count, false);

  LLVMValueRef function = LLVMGetNamedFunction(module, point->symbol);
  if (!function) {
    function = LLVMAddFunction(module, point->symbol, type);
    describe_calls(abi, function, point->calls);
  }
  return (struct lox_callee){type, function};
}

enum lox_calls lox_abi_entry_calls(const struct lox_abi *abi, unsigned entry) {
  return abi->language->entries[entry].calls;
}

LLVMValueRef lox_abi_descriptor(const struct lox_abi *abi, LLVMModuleRef module,
                                const char *symbol) {
  LLVMValueRef descriptor = LLVMGetNamedGlobal(module, symbol);
  return descriptor ? descriptor
                    : LLVMAddGlobal(module, LLVMInt8TypeInContext(abi->context), symbol);
}

LLVMTypeRef lox_abi_code_type(const struct lox_abi *abi, uint32_t value_count) {
  LLVMTypeRef parameters[2 + UINT8_MAX];
  if (value_count < abi->code_values)
    value_count = abi->code_values;
  lox_require(value_count <= sizeof parameters / sizeof parameters[0], "%u arguments", value_count);
  for (uint32_t i = 0; i < value_count; i++)
    parameters[i] = abi->value;
  return LLVMFunctionType(abi->value, parameters, value_count, false);
}

LLVMValueRef lox_abi_word(const struct lox_abi *abi, uint64_t word) {
  return LLVMConstInt(abi->word, word, false);
}

LLVMValueRef lox_abi_constant(const struct lox_abi *abi, uint64_t word) {
  return LLVMConstIntToPtr(lox_abi_word(abi, word), abi->value);
}
