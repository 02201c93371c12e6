/* What emission knows: of the unit, of the function being emitted, of a value.
 *
 * Invariants
 *   The builder stands at the end of a block without a terminator, whenever an emit function is
 * entered or left. A lox_value of kind NUMBER is a double, of kind BOOLEAN an i1; of every other
 * kind a ptr addrspace(1). What was computed from an object's address (a field's address) is used
 * before the next call.
 */
#ifndef LOX_EMIT_EMITTER_H
#define LOX_EMIT_EMITTER_H

#include <stdbool.h>

#include "frontend-demo/emit/abi.h"
#include "frontend-demo/emit/debug.h"
#include "frontend-demo/emit/emit.h"
#include "frontend-demo/emit/session.h"
#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/ast.h"

/* ---- The unit ---- */

/* Where a local variable lives. */
struct lox_home {
  LLVMValueRef place; /* an alloca: of the value, or of the reference to its cell */
  LLVMValueRef
      whole_place; /* an alloca: of a number's `whole`, beside it; NULL where none is kept */
  const struct lox_function *function; /* whose closure it holds, always; NULL when not known */
};

/* One per function of the program. All but `homes` are made before any code is. */
struct lox_function_code {
  LLVMValueRef
      code; /* value f(closure, arguments...), or value f(closure, receiver, arguments...) */
  LLVMValueRef number_code; /* result f(parameters...), each number parameter a double; NULL without
                               that version */
  LLVMValueRef descriptor;  /* its struct lox_function_type */
  uint64_t number;          /* in the process */
  uint32_t first_local;     /* number in the unit of its variable 0; the others' follow */
  struct lox_home
      *homes; /* by index of the variable; complete up to the point emission has reached */
};

struct lox_class_code {
  const struct lox_function *initializer; /* declared by the class itself; NULL without one */
  LLVMValueRef construct; /* code of class objects, of the initializer's arity; NULL without one */
};

struct lox_global_word {
  LLVMValueRef word;    /* the variable; a root */
  bool is_defined;      /* its first declaration was emitted already. Code emitted from then on runs
                           after it: top-level declarations run in order, and functions are made
                           where      they stand. */
  bool is_of_this_unit; /* it defines the variable */
};

struct lox_string_slot {
  LLVMValueRef slot;
  struct lox_string text;
  struct lox_string_slot *next;
};

struct lox_patched_site {
  LLVMValueRef record; /* its struct lox_patched_get */
  struct lox_patched_site *next;
};

struct lox_unit_emitter {
  struct lox_abi abi;
  LLVMModuleRef module;
  const struct lox_program *program;
  struct lox_session *session; /* NULL: the program is complete */
  struct lox_debug *debug;     /* NULL: no debug information */
  struct lox_arena *arena;     /* of everything below */

  struct lox_function_code *functions; /* by index in the program, as the next two */
  struct lox_class_code *classes;
  struct lox_global_word *globals;
  struct lox_string_slot *strings; /* the last one first */
  uint32_t string_count;
  bool has_stops;
  bool patches_gets;                     /* reads of properties are calls that are patched */
  struct lox_patched_site *patched_gets; /* the last one, which has the highest number, first */
  uint32_t patched_get_count;
  bool traces_locals;   /* calls describe the local variables */
  uint32_t local_count; /* variables of all functions */
};

/* The name's struct lox_name_literal. */
LLVMValueRef lox_unit_name(struct lox_unit_emitter *unit, const struct lox_name *name);

/* A new root that holds this string once the unit is loaded. */
LLVMValueRef lox_unit_string(struct lox_unit_emitter *unit, struct lox_string text);

/* ---- The function being emitted ---- */

/* A finally block around what is being emitted. It is emitted once; what to go on with after it is
 * noted first. */
struct lox_finally {
  struct lox_finally *outer;
  LLVMBasicBlockRef block;
  LLVMValueRef reason;    /* an alloca: enum of exception.c */
  LLVMValueRef exception; /* an alloca: what was caught, when the block is to throw it again */
  LLVMValueRef result;    /* an alloca of the code's return type, when the block is to return it */
  bool returns;           /* some return passes through */
};

/* The function's variables that are defined and in scope, outermost first. */
struct lox_scope {
  const struct lox_variable **variables; /* NULL: calls do not describe them */
  uint32_t count;                        /* set back by whoever ends a scope */
};

struct lox_emitter {
  struct lox_unit_emitter *unit;
  const struct lox_abi *abi;
  const struct lox_function *function;
  enum lox_version version; /* of the function */
  struct lox_home *homes;   /* the function's */
  LLVMValueRef code;        /* what is being emitted: the function's code, or an adapter to it */
  LLVMBuilderRef builder;
  LLVMBuilderRef allocas;      /* stands at the end of the entry block, which holds nothing else */
  LLVMBasicBlockRef start;     /* the entry block's successor */
  LLVMBasicBlockRef pad;       /* where calls that throw go on; NULL: they leave the function */
  struct lox_finally *finally; /* the innermost one that a return runs first; NULL: none */
  LLVMMetadataRef scope; /* of lines in debug information; NULL for adapters, and without it */
  int line;              /* that what is emitted belongs to */
  struct lox_scope locals;
};

void lox_emitter_begin(struct lox_emitter *emitter, struct lox_unit_emitter *unit,
                       const struct lox_function *function, LLVMValueRef code);
void lox_emitter_end(struct lox_emitter *emitter);

/* What is emitted from now on belongs to this line of the source. Returns the line it belonged to
 * before. */
int lox_at_line(struct lox_emitter *emitter, int line);

/* A managed function of this unit, internal, without a body. */
LLVMValueRef lox_add_code(struct lox_unit_emitter *unit, uint32_t value_count, const char *prefix,
                          const char *name);

/* The same for other types than values. */
LLVMValueRef lox_add_code_of_type(struct lox_unit_emitter *unit, LLVMTypeRef type,
                                  const char *prefix, const char *name);

/* An internal call site has no line in a stack trace. */
enum { LOX_NO_LINE = 0 };

/* As a statepoint id: the line in the function that is being emitted. */
uint64_t lox_call_site(const struct lox_emitter *emitter, int line);

/* Calls code with the closure, the receiver if it is a method's, and the arguments: emit/passing.c.
 */
LLVMValueRef lox_call_words(struct lox_emitter *emitter, int line, LLVMValueRef code,
                            const LLVMValueRef *words, uint32_t count);

/* In code that is called so with `count` words: the one at `index`. */
LLVMValueRef lox_passed_word(struct lox_emitter *emitter, uint32_t count, uint32_t index);

/* Calls code of any type. */
LLVMValueRef lox_call_code(struct lox_emitter *emitter, int line, LLVMTypeRef type,
                           LLVMValueRef code, LLVMValueRef *arguments, uint32_t count);

/* Returns what has the code's type. With tail calls, a call of code of the caller's own type that
 * yields it, and does nothing after, becomes one. */
void lox_return_result(struct lox_emitter *emitter, LLVMValueRef result);

/* Calls an entry point of the runtime that returns. */
LLVMValueRef lox_call_runtime(struct lox_emitter *emitter, int line, enum lox_entry entry,
                              LLVMValueRef *arguments);

void lox_poll(struct lox_emitter *emitter);

/* Calls one that does not, and ends the block with it: enter another. */
void lox_call_error(struct lox_emitter *emitter, int line, enum lox_entry entry,
                    LLVMValueRef *arguments);

LLVMBasicBlockRef lox_block(struct lox_emitter *emitter, const char *name);
LLVMBasicBlockRef lox_current_block(const struct lox_emitter *emitter);
void lox_enter(struct lox_emitter *emitter, LLVMBasicBlockRef block);
void lox_jump(struct lox_emitter *emitter, LLVMBasicBlockRef target);
void lox_branch(struct lox_emitter *emitter, LLVMValueRef condition, LLVMBasicBlockRef then,
                LLVMBasicBlockRef otherwise);

/* Almost always goes to `then`. */
void lox_branch_likely(struct lox_emitter *emitter, LLVMValueRef condition, LLVMBasicBlockRef then,
                       LLVMBasicBlockRef otherwise);

/* Goes on only if the condition holds, as it almost always does; otherwise to `otherwise`. */
void lox_guard(struct lox_emitter *emitter, LLVMValueRef condition, LLVMBasicBlockRef otherwise);

/* The value that came from one of two blocks. */
LLVMValueRef lox_phi(struct lox_emitter *emitter, LLVMValueRef a, LLVMBasicBlockRef from_a,
                     LLVMValueRef b, LLVMBasicBlockRef from_b);

/* ---- Memory (memory.c) ---- */

/* Marks a load or a store. */
LLVMValueRef lox_in_memory(const struct lox_abi *abi, enum lox_memory memory, LLVMValueRef access);

/* Words that hold values, in objects; or anything outside the heap: caches, descriptors, literals.
 */
LLVMValueRef lox_load(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef base,
                      uint64_t offset);
LLVMValueRef lox_load_at(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef base,
                         LLVMValueRef offset);
void lox_store_at(struct lox_emitter *emitter, LLVMValueRef value, LLVMValueRef base,
                  LLVMValueRef offset);

LLVMValueRef lox_load_header(struct lox_emitter *emitter, LLVMValueRef object);
void lox_store_header(struct lox_emitter *emitter, LLVMValueRef header, LLVMValueRef object);

/* What the runtime keeps in an object beside its values: a length, a list's store, an instance's
 * class. */
LLVMValueRef lox_load_structure(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef object,
                                uint64_t offset);
void lox_store_structure(struct lox_emitter *emitter, LLVMValueRef value, LLVMValueRef object,
                         uint64_t offset);

/* ---- Values ---- */

struct lox_value {
  LLVMValueRef llvm;
  enum lox_kind kind;
  bool is_instance;   /* kind ANY, and known to be an instance */
  bool is_unique;     /* kind STRING: no other object is an equal string */
  LLVMValueRef whole; /* kind NUMBER: an integer that most likely equals it, cheaper to have than to
                         compute from it; what relies on it compares first. NULL: none is known */
};

struct lox_value lox_any(LLVMValueRef llvm);
struct lox_value lox_instance(LLVMValueRef llvm);
struct lox_value lox_number(LLVMValueRef llvm);
struct lox_value lox_whole_number(LLVMValueRef llvm, LLVMValueRef whole);
struct lox_value lox_boolean(LLVMValueRef llvm);
struct lox_value lox_nil(struct lox_emitter *emitter);

/* A word, as it lies in memory, of a value of this kind. */
struct lox_value lox_unbox(struct lox_emitter *emitter, LLVMValueRef boxed, enum lox_kind kind);
LLVMValueRef lox_box(struct lox_emitter *emitter, struct lox_value value);

/* The value in the representation of `kind`, which it is known to have. */
LLVMValueRef lox_convert(struct lox_emitter *emitter, struct lox_value value, enum lox_kind kind);
LLVMTypeRef lox_kind_type(const struct lox_abi *abi, enum lox_kind kind);

/* Into an object's field; without a write barrier where the value is known not to be an object. */
void lox_store_value(struct lox_emitter *emitter, struct lox_value value, LLVMValueRef base,
                     LLVMValueRef offset);

LLVMValueRef lox_is_number(struct lox_emitter *emitter, struct lox_value value);
LLVMValueRef lox_is_object(struct lox_emitter *emitter, struct lox_value value);
LLVMValueRef lox_is_truthy(struct lox_emitter *emitter, struct lox_value value);

/* The double in a boxed word that is known to be a number. */
LLVMValueRef lox_decode_number(struct lox_emitter *emitter, LLVMValueRef boxed);

/* A number's `whole`: the known one, or the integral part of the number. That of a number that fits
 * no integer is arbitrary. */
LLVMValueRef lox_whole(struct lox_emitter *emitter, struct lox_value number);

/* Goes on only if the value is an object with this header. */
void lox_guard_header(struct lox_emitter *emitter, struct lox_value value, LLVMValueRef header,
                      LLVMBasicBlockRef otherwise);

/* ---- Expressions ---- */

struct lox_value lox_emit_expression(struct lox_emitter *emitter,
                                     const struct lox_expression *expression);
void lox_emit_condition(struct lox_emitter *emitter, const struct lox_expression *expression,
                        LLVMBasicBlockRef then, LLVMBasicBlockRef otherwise);

struct lox_value lox_emit_unary(struct lox_emitter *emitter,
                                const struct lox_expression *expression);
struct lox_value lox_emit_binary(struct lox_emitter *emitter,
                                 const struct lox_expression *expression);

struct lox_value lox_emit_get(struct lox_emitter *emitter, const struct lox_expression *expression);
struct lox_value lox_emit_patched_get(struct lox_emitter *emitter,
                                      const struct lox_expression *expression, LLVMValueRef object);
struct lox_value lox_emit_set(struct lox_emitter *emitter, const struct lox_expression *expression);
struct lox_value lox_emit_super_get(struct lox_emitter *emitter,
                                    const struct lox_expression *expression);

struct lox_value lox_emit_list(struct lox_emitter *emitter,
                               const struct lox_expression *expression);
struct lox_value lox_emit_index(struct lox_emitter *emitter,
                                const struct lox_expression *expression);
struct lox_value lox_emit_index_set(struct lox_emitter *emitter,
                                    const struct lox_expression *expression);

/* Goes on with the index as an integer if it is a whole number from 0 to limit - 1. */
LLVMValueRef lox_guard_index(struct lox_emitter *emitter, struct lox_value index,
                             LLVMValueRef limit, LLVMBasicBlockRef otherwise);

/* In a list store. */
LLVMValueRef lox_item_offset(struct lox_emitter *emitter, LLVMValueRef index);

struct lox_value lox_emit_call(struct lox_emitter *emitter,
                               const struct lox_expression *expression);

struct lox_native_signature;
struct lox_value lox_emit_native_call(struct lox_emitter *emitter,
                                      const struct lox_expression *call,
                                      const struct lox_native_signature *native);

/* The type of a function's code in its version for numbers. */
LLVMTypeRef lox_number_code_type(const struct lox_abi *abi, const struct lox_function *function);

/* What a call passes. The first two words are for the callee and the receiver. */
struct lox_arguments {
  LLVMValueRef words[2 + UINT8_MAX];
  uint32_t count; /* without those two */
};

/* code(closure, receiver, arguments) */
LLVMValueRef lox_call_method(struct lox_emitter *emitter, int line, LLVMValueRef code,
                             LLVMValueRef closure, LLVMValueRef receiver,
                             struct lox_arguments *arguments);

/* callee(arguments), whatever the callee is. */
LLVMValueRef lox_call_value(struct lox_emitter *emitter, int line, struct lox_value callee,
                            struct lox_arguments *arguments);

struct lox_value lox_emit_invoke(struct lox_emitter *emitter, const struct lox_expression *call,
                                 struct lox_arguments *arguments);
struct lox_value lox_emit_super_invoke(struct lox_emitter *emitter,
                                       const struct lox_expression *call,
                                       struct lox_arguments *arguments);
void lox_emit_arguments(struct lox_emitter *emitter, const struct lox_expression_list *list,
                        struct lox_arguments *arguments);

/* ---- Variables ---- */

struct lox_value lox_read(struct lox_emitter *emitter, const struct lox_reference *reference,
                          int line);
void lox_assign(struct lox_emitter *emitter, const struct lox_reference *reference,
                struct lox_value value, int line);

/* The declaration's initialisation of a variable: makes its cell, if it needs one. */
void lox_define(struct lox_emitter *emitter, const struct lox_reference *target,
                struct lox_value value, int line);
void lox_define_local(struct lox_emitter *emitter, const struct lox_variable *variable,
                      struct lox_value value, int line);

/* From here on, code runs only once the variable is defined. */
void lox_mark_defined(struct lox_emitter *emitter, const struct lox_reference *target);

/* The function whose closure a use of the variable yields, if that is certain; the class, likewise.
 */
const struct lox_function *lox_known_function(const struct lox_emitter *emitter,
                                              const struct lox_reference *reference);
const struct lox_class *lox_known_class(const struct lox_emitter *emitter,
                                        const struct lox_reference *reference);

/* The variable's boxed value, or the cell it lives in. */
LLVMValueRef lox_held_by_local(struct lox_emitter *emitter, const struct lox_variable *variable);
LLVMValueRef lox_held_by_capture(struct lox_emitter *emitter, uint32_t capture);

/* ---- Local variables in stack traces (locals.c) ---- */

/* Before the first variable of the function's own code; adapters describe nothing. */
void lox_open_scope(struct lox_emitter *emitter);

/* The variable was defined. */
void lox_enter_scope(struct lox_emitter *emitter, const struct lox_variable *variable);

/* The deopt state of a call made here, which the caller disposes of; NULL when calls describe
 * nothing. */
LLVMOperandBundleRef lox_describe_locals(struct lox_emitter *emitter);

/* For the unit: gives every variable its number; their names by number, NULL when calls describe
 * nothing. */
void lox_number_locals(struct lox_unit_emitter *unit);
LLVMValueRef lox_emit_local_names(struct lox_unit_emitter *unit);

/* ---- Exceptions ---- */

void lox_emit_throw(struct lox_emitter *emitter, const struct lox_statement *statement);
void lox_emit_try(struct lox_emitter *emitter, const struct lox_statement *statement);

/* Returns `result`, which has the code's return type, from inside of emitter->finally. Ends the
 * block. */
void lox_return_through_finally(struct lox_emitter *emitter, LLVMValueRef result);

/* ---- Statements, functions, classes ---- */

void lox_emit_statement(struct lox_emitter *emitter, const struct lox_statement *statement);
void lox_emit_statements(struct lox_emitter *emitter, const struct lox_statement_list *list);
/* In the script's emitter: its statements, in parts if they are many. */
void lox_emit_script(struct lox_emitter *emitter);

/* As stack traces show it. */
const char *lox_function_display_name(const struct lox_function *function);

/* Declares code and descriptor. */
void lox_declare_function(struct lox_unit_emitter *unit, const struct lox_function *function);

/* The bodies of the function's code, in each version. */
void lox_emit_function(struct lox_unit_emitter *unit, const struct lox_function *function);

/* A new closure whose captures are not filled in yet, and the filling in. */
LLVMValueRef lox_make_closure(struct lox_emitter *emitter, const struct lox_function *function,
                              int line);
void lox_fill_closure(struct lox_emitter *emitter, const struct lox_function *function,
                      LLVMValueRef closure);

/* `return` of the value, or without one of what the function returns then. */
void lox_emit_return(struct lox_emitter *emitter, const struct lox_expression *value);

/* Declares and defines the adapter that makes instances. */
void lox_declare_class(struct lox_unit_emitter *unit, const struct lox_class *class_);
void lox_emit_class(struct lox_emitter *emitter, const struct lox_class *class_);

/* What a call of the class object yields, if the class has its own initializer or inherits none: a
 * new instance, on which the initializer was called. */
LLVMValueRef lox_construct(struct lox_emitter *emitter, int line, const struct lox_class *class_,
                           LLVMValueRef class_object, struct lox_arguments *arguments);

#endif
