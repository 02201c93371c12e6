#include "codegen/ir/library.h"

#include <string.h>

#include "codegen/ir/ir.h"

struct library_function {
  const char *name;
  const char *type; /* of the result, then of the parameters: p pointer, i i32, l i64, d double */
};

static const struct library_function readers[] = {
    {"strlen", "lp"},      {"strnlen", "lpl"},      {"strcmp", "ipp"},   {"strncmp", "ippl"},
    {"strcasecmp", "ipp"}, {"strncasecmp", "ippl"}, {"strcoll", "ipp"},  {"strspn", "lpp"},
    {"strcspn", "lpp"},    {"memcmp", "ippl"},      {"bcmp", "ippl"},    {"wcslen", "lp"},
    {"wcscmp", "ipp"},     {"wcsncmp", "ippl"},     {"wmemcmp", "ippl"}, {"atoi", "ip"},
    {"atol", "lp"},        {"atoll", "lp"},         {"atof", "dp"},      {"puts", "ip"},
    {"fputs", "ipp"},      {"fwrite", "lpllp"},
};

static bool type_is(LLVMTypeRef type, char letter) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  switch (letter) {
  case 'p': return kind == LLVMPointerTypeKind;
  case 'd': return kind == LLVMDoubleTypeKind;
  default:
    return kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == (letter == 'i' ? 32 : 64);
  }
}

static bool has_type(LLVMValueRef function, const char *letters) {
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  unsigned count = LLVMCountParams(function);
  if (LLVMIsFunctionVarArg(type) || count != strlen(letters) - 1 ||
      !type_is(LLVMGetReturnType(type), letters[0]))
    return false;
  for (unsigned i = 0; i < count; i++)
    if (!type_is(LLVMTypeOf(LLVMGetParam(function, i)), letters[i + 1]))
      return false;
  return true;
}

static bool is_reader(LLVMValueRef function) {
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);
  if (!LLVMIsDeclaration(function))
    return false;
  for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
    if (spgc_ir_text_is(name, length, readers[i].name))
      return has_type(function, readers[i].type);
  return false;
}

bool spgc_ir_calls_reader_of_library(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  return callee != NULL && is_reader(callee) && !spgc_ir_has_attribute(call, "nobuiltin") &&
         !spgc_ir_has_attribute(callee, "nobuiltin") &&
         LLVMGetCalledFunctionType(call) == LLVMGlobalGetValueType(callee);
}

static const char *const finders[] = {
    "memchr",  "memrchr", "rawmemchr", "strchr",   "strrchr", "strchrnul", "strstr",  "strcasestr",
    "memmem",  "strpbrk", "strtok",    "strtok_r", "strsep",  "strcpy",    "strncpy", "stpcpy",
    "stpncpy", "strcat",  "strncat",   "memcpy",   "memmove", "memccpy",   "mempcpy", "memset",
    "wcschr",  "wmemchr", "strtol",    "strtoul",  "strtoll", "strtoull",  "strtod",  "strtof"};

bool spgc_ir_calls_finder_of_library(LLVMValueRef call) {
  LLVMValueRef callee = spgc_ir_callee(call);
  return callee != NULL && LLVMIsDeclaration(callee) && spgc_ir_call_passes_reference(call) &&
         IR_NAME_IS_AMONG(callee, finders);
}
