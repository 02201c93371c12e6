/* The runtime's interface (runtime/abi.h) as LLVM types and functions. */
#ifndef LOX_BACKEND_ABI_H
#define LOX_BACKEND_ABI_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "frontend-demo/runtime/abi.h"

/* The functions of the library that compiled Lox calls, in a table as LOX_ENTRY_POINTS. */
#define LOX_LIBRARY_ENTRY_POINTS(X)                                                                \
  X(ALLOCATE, spgc_allocate, "vp", LOX_CALLS_SAFEPOINT)                                            \
  X(STACK_LOW, spgc_stack_low, "b", LOX_CALLS_LEAF)                                                \
  X(POLL, spgc_poll, "-", LOX_CALLS_SAFEPOINT)

/* Kinds of entry points, by the effect of calling them. */
enum lox_calls {
  LOX_CALLS_SAFEPOINT,  /* objects may move */
  LOX_CALLS_RARELY,     /* the same, in code that rarely runs */
  LOX_CALLS_NEVER_BACK, /* the same, and it does not return */
  LOX_CALLS_LEAF,       /* objects do not move */
};

enum lox_entry {
#define LOX_ENTRY_ENUMERATOR(enumerator, symbol, signature, calls) LOX_ENTRY_##enumerator,
  LOX_LIBRARY_ENTRY_POINTS(LOX_ENTRY_ENUMERATOR) LOX_ENTRY_POINTS(LOX_ENTRY_ENUMERATOR)
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
  uint32_t code_values; /* all code has at least so many parameters */
};

void lox_abi_init(struct lox_abi *abi, LLVMContextRef context);

/* Declares the entry point in the module at first use. */
struct lox_callee lox_abi_entry(const struct lox_abi *abi, LLVMModuleRef module,
                                enum lox_entry entry);

enum lox_calls lox_abi_entry_calls(enum lox_entry entry);

/* A descriptor that the runtime defines. */
LLVMValueRef lox_abi_descriptor(const struct lox_abi *abi, LLVMModuleRef module,
                                const char *symbol);

/* With tail calls, code_values: there are as many registers for parameters. */
enum { LOX_TAIL_CALL_VALUES = 6 };

/* value f(value * value_count), or of code_values values if that is more */
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
