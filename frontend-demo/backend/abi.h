#ifndef LOX_BACKEND_ABI_H
#define LOX_BACKEND_ABI_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/type.h"

enum lox_calls {
  LOX_CALLS_SAFEPOINT,  /* objects may move */
  LOX_CALLS_RARELY,     /* objects may move, in code that rarely runs */
  LOX_CALLS_NEVER_BACK, /* objects may move, and it does not return */
  LOX_CALLS_LEAF,       /* objects do not move */
};

struct lox_entry_row {
  const char *symbol;
  const char *signature; /* result, then parameters: v value, p pointer, i 64-bit integer, b
                          * boolean, - nothing */
  enum lox_calls calls;
};

struct lox_callee {
  LLVMTypeRef type;
  LLVMValueRef function;
};

struct lox_language {
  const struct lox_entry_row *entries; /* indexed by the number of the entry point */
  unsigned poll;
  unsigned catch, throw_again; /* entry points that give a landing pad the exception, and throw it
                                * again; 0 if nothing is caught */
  uint64_t (*call_site)(uint64_t function, int line);
};

/* For internal calls, which stack traces omit. */
enum { LOX_NO_LINE = 0 };

/* Constant after lox_abi_init. */
struct lox_abi {
  const struct lox_language *language;
  LLVMContextRef context;
  LLVMTypeRef value;   /* a reference or an immediate for the collector */
  LLVMTypeRef pointer; /* data that never moves: descriptors, caches, literals, code */
  LLVMTypeRef word;
  LLVMTypeRef number;
  LLVMTypeRef boolean;
  LLVMTypeRef nothing;
  LLVMValueRef likely; /* metadata of branches that almost always take the first way */
  unsigned likely_kind;
  uint32_t code_values; /* all code has at least this many parameters */
};

void lox_abi_init(struct lox_abi *abi, LLVMContextRef context, const struct lox_language *language);

/* Declared at first use. */
struct lox_callee lox_abi_entry(const struct lox_abi *abi, LLVMModuleRef module, unsigned entry);

enum lox_calls lox_abi_entry_calls(const struct lox_abi *abi, unsigned entry);

LLVMValueRef lox_abi_descriptor(const struct lox_abi *abi, LLVMModuleRef module,
                                const char *symbol);

/* code_values with tail calls: the registers for parameters. */
enum { LOX_TAIL_CALL_VALUES = 6 };

/* value f(value * max(value_count, code_values)) */
LLVMTypeRef lox_abi_code_type(const struct lox_abi *abi, uint32_t value_count);

LLVMValueRef lox_abi_word(const struct lox_abi *abi, uint64_t word);

LLVMValueRef lox_abi_constant(const struct lox_abi *abi, uint64_t word);

#define LOX_ON_THE_FUNCTION ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

LLVMAttributeRef lox_abi_attribute(const struct lox_abi *abi, const char *name);

LLVMAttributeRef lox_abi_string_attribute(const struct lox_abi *abi, const char *name,
                                          const char *text);

#endif
