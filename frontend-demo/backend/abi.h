/* The runtime's interface (runtime/abi.h) as LLVM types and functions. */
#ifndef LOX_BACKEND_ABI_H
#define LOX_BACKEND_ABI_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "frontend-demo/runtime/abi.h"

/* X(enumerator, symbol, signature, calls)
 * signature: result, then parameters: v value, p pointer, i 64-bit integer, b boolean, - nothing.
 */
#define LOX_ENTRY_POINTS(X)                                                                        \
  X(ALLOCATE, spgc_allocate, "vp", LOX_CALLS_SAFEPOINT)                                            \
  X(ALLOCATE_ARRAY, spgc_allocate_array, "vpi", LOX_CALLS_SAFEPOINT)                               \
  X(ALLOCATE_SLOW, spgc_allocate_slow, "vpi", LOX_CALLS_SAFEPOINT)                                 \
  X(STACK_LOW, spgc_stack_low, "b", LOX_CALLS_LEAF)                                                \
  X(POLL, spgc_poll, "-", LOX_CALLS_SAFEPOINT)                                                     \
  X(ADD_SLOW, lox_add_slow, "vvv", LOX_CALLS_RARELY)                                               \
  X(ERROR_OPERANDS_NUMBERS, lox_error_operands_numbers, "-", LOX_CALLS_NEVER_BACK)                 \
  X(ERROR_OPERAND_NUMBER, lox_error_operand_number, "-", LOX_CALLS_NEVER_BACK)                     \
  X(STRINGS_EQUAL, lox_strings_equal, "ivv", LOX_CALLS_LEAF)                                       \
  X(PRINT, lox_print, "-v", LOX_CALLS_SAFEPOINT)                                                   \
  X(ECHO, lox_echo, "-v", LOX_CALLS_SAFEPOINT)                                                     \
  X(ERROR_CALL, lox_error_call, "-vi", LOX_CALLS_NEVER_BACK)                                       \
  X(ERROR_STACK_OVERFLOW, lox_error_stack_overflow, "-", LOX_CALLS_NEVER_BACK)                     \
  X(INVOKE_MISS, lox_invoke_miss, "pvp", LOX_CALLS_RARELY)                                         \
  X(SHADOWING_FIELD, lox_shadowing_field, "vv", LOX_CALLS_LEAF)                                    \
  X(SUPER_GET, lox_super_get, "vvvp", LOX_CALLS_SAFEPOINT)                                         \
  X(GET_MISS, lox_get_miss, "vvp", LOX_CALLS_RARELY)                                               \
  X(SET_MISS, lox_set_miss, "-vvp", LOX_CALLS_RARELY)                                              \
  X(ERROR_UNDEFINED_VARIABLE, lox_error_undefined_variable, "-p", LOX_CALLS_NEVER_BACK)            \
  X(CLASS_MAKE, lox_class_make, "vpv", LOX_CALLS_SAFEPOINT)                                        \
  X(CLASS_METHOD_OFFSET, lox_class_method_offset, "ivi", LOX_CALLS_LEAF)                           \
  X(CHECK_SUPERCLASS, lox_check_superclass, "-v", LOX_CALLS_SAFEPOINT)                             \
  X(LIST_MAKE, lox_list_make, "vi", LOX_CALLS_SAFEPOINT)                                           \
  X(LIST_FILL, lox_list_fill, "-viv", LOX_CALLS_LEAF)                                              \
  X(LIST_FILL_LITERALS, lox_list_fill_literals, "-vipi", LOX_CALLS_LEAF)                           \
  X(ERROR_INDEX, lox_error_index, "-vv", LOX_CALLS_NEVER_BACK)                                     \
  X(THROW, lox_throw, "-v", LOX_CALLS_NEVER_BACK)                                                  \
  X(THROW_AGAIN, lox_throw_again, "-v", LOX_CALLS_NEVER_BACK)                                      \
  X(CATCH, lox_catch, "v", LOX_CALLS_LEAF)

/* Kinds of entry points, by the effect of calling them. */
enum lox_calls {
  LOX_CALLS_SAFEPOINT,  /* objects may move */
  LOX_CALLS_RARELY,     /* the same, in code that rarely runs */
  LOX_CALLS_NEVER_BACK, /* the same, and it does not return */
  LOX_CALLS_LEAF,       /* objects do not move */
};

enum lox_entry {
#define LOX_ENTRY_ENUMERATOR(enumerator, symbol, signature, calls) LOX_ENTRY_##enumerator,
  LOX_ENTRY_POINTS(LOX_ENTRY_ENUMERATOR)
#undef LOX_ENTRY_ENUMERATOR
#define LOX_ENTRY_NATIVE_ENUMERATOR(enumerator, name, arity, result) LOX_ENTRY_NATIVE_##enumerator,
      LOX_NATIVES(LOX_ENTRY_NATIVE_ENUMERATOR)
#undef LOX_ENTRY_NATIVE_ENUMERATOR
          LOX_ENTRY_COUNT,
  LOX_ENTRY_FIRST_NATIVE = LOX_ENTRY_COUNT - LOX_NATIVE_COUNT,
};

struct lox_callee {
  LLVMTypeRef type;
  LLVMValueRef function;
};

/* Constant after lox_abi_init. */
struct lox_abi {
  LLVMContextRef context;
  LLVMTypeRef value;   /* a Lox value: a reference to the collector */
  LLVMTypeRef pointer; /* to data that never moves: descriptors, caches, literals, code */
  LLVMTypeRef word;    /* 64-bit integer */
  LLVMTypeRef number;
  LLVMTypeRef boolean;
  LLVMTypeRef nothing;
  LLVMValueRef likely;  /* metadata of branches that almost always take the first way */
  unsigned likely_kind; /* of that metadata */
  uint32_t code_values; /* the number of parameters of all code; 0: as many as it gets words */
};

void lox_abi_init(struct lox_abi *abi, LLVMContextRef context);

/* Declares the entry point in the module at first use. */
struct lox_callee lox_abi_entry(const struct lox_abi *abi, LLVMModuleRef module,
                                enum lox_entry entry);

enum lox_calls lox_abi_entry_calls(enum lox_entry entry);

/* A descriptor that the runtime defines. */
LLVMValueRef lox_abi_descriptor(const struct lox_abi *abi, LLVMModuleRef module,
                                const char *symbol);

/* value f(value * value_count), or of code_values values */
LLVMTypeRef lox_abi_code_type(const struct lox_abi *abi, uint32_t value_count);

LLVMValueRef lox_abi_word(const struct lox_abi *abi, uint64_t word);

/* The value with these bits. */
LLVMValueRef lox_abi_constant(const struct lox_abi *abi, uint64_t word);

/* The index of a function's or a call's own attributes. */
#define LOX_ON_THE_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

/* An attribute of LLVM's own, without an argument. */
LLVMAttributeRef lox_abi_attribute(const struct lox_abi *abi, const char *name);

LLVMAttributeRef lox_abi_string_attribute(const struct lox_abi *abi, const char *name,
                                          const char *text);

#endif
