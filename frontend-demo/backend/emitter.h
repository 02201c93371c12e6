/* The state of emission: for the unit, for the function being emitted, for a value.
 *
 * Invariants
 *   The builder is at the end of a block without a terminator whenever an emit function is entered
 *     or left.
 *   A lox_value of kind NUMBER is a double, of kind BOOLEAN an i1; of every other kind a
 *     ptr addrspace(1).
 *   A value computed from an object's address (a field's address) is used before the next call.
 */
#ifndef LOX_BACKEND_EMITTER_H
#define LOX_BACKEND_EMITTER_H

#include <stdbool.h>

#include "frontend-demo/backend/abi.h"
#include "frontend-demo/emit/debug.h"
#include "frontend-demo/emit/emit.h"
#include "frontend-demo/emit/session.h"
#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/ast.h"

/* ---- The unit ---- */

/* The place of a local variable. */
struct lox_home {
  LLVMValueRef place; /* an alloca: of the value, or of the reference to its cell */
  /* An alloca of a number's `whole`, beside it; NULL where none is kept. */
  LLVMValueRef whole_place;
  /* The function whose closure it always holds; NULL when not known. */
  const struct lox_function *function;
};

/* One per function of the program. All fields except `homes` are set before any code is emitted. */
struct lox_function_code {
  /* value code(closure, arguments...), or value code(closure, receiver, arguments...) */
  LLVMValueRef code;
  LLVMValueRef number_code; /* result number_code(parameters...), each number parameter a double;
                               NULL without that version */
  LLVMValueRef descriptor;  /* its struct lox_function_type */
  uint64_t number;          /* in the process */
  uint32_t first_local; /* the unit's number of its variable 0; the numbers of the others follow */
  /* By index of the variable; complete up to the point that emission has reached. */
  struct lox_home *homes;
};

struct lox_class_code {
  const struct lox_function *initializer; /* declared by the class itself; NULL without one */
  LLVMValueRef construct; /* code of class objects, of the initializer's arity; NULL without one */
};

struct lox_global_word {
  LLVMValueRef word; /* the variable; a root */
  bool is_defined;   /* its first declaration was emitted. Code emitted from then on runs after it,
                        because top-level declarations run in order, and functions are made in their
                        places. */
  bool is_of_this_unit; /* the unit defines the variable */
};

struct lox_string_slot {
  LLVMValueRef slot;
  struct lox_string text;
  struct lox_string_slot *next;
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
  bool traces_locals;   /* calls describe the local variables */
  uint32_t local_count; /* variables of all functions */
};

/* The name's struct lox_name_literal. */
LLVMValueRef lox_unit_name(struct lox_unit_emitter *unit, const struct lox_name *name);

/* A new root that holds this string once the unit is loaded. */
LLVMValueRef lox_unit_string(struct lox_unit_emitter *unit, struct lox_string text);

/* ---- The function being emitted ---- */

/* A finally block around the current code. It is emitted once; the code that enters it first notes
 * where to continue. */
struct lox_finally {
  struct lox_finally *outer;
  LLVMBasicBlockRef block;
  LLVMValueRef reason;    /* an alloca: enum of exception.c */
  LLVMValueRef exception; /* an alloca: the caught exception, if the block is to throw it again */
  LLVMValueRef
      result;   /* an alloca of the code's return type: the result, if the block is to return it */
  bool returns; /* some return goes through the block */
};

/* The function's variables that are defined and in scope, outermost first. */
struct lox_scope {
  const struct lox_variable **variables; /* NULL: calls do not describe them */
  uint32_t count;                        /* reset by the code that ends a scope */
};

struct lox_emitter {
  struct lox_unit_emitter *unit;
  const struct lox_abi *abi;
  const struct lox_function *function;
  enum lox_version version; /* of the function */
  struct lox_home *homes;   /* the function's */
  LLVMValueRef code;        /* the code being emitted: the function's code, or an adapter to it */
  LLVMBuilderRef builder;
  LLVMBuilderRef allocas;  /* at the end of the entry block, which holds only allocas */
  LLVMBasicBlockRef start; /* the entry block's successor */
  LLVMBasicBlockRef pad; /* where calls that throw continue; NULL: exceptions leave the function */
  struct lox_finally *finally; /* the innermost block that a return must run first; NULL: none */
  LLVMMetadataRef scope; /* of lines in debug information; NULL for adapters, and without it */
  int line;              /* the line of the current code */
  struct lox_scope locals;
};

void lox_emitter_begin(struct lox_emitter *emitter, struct lox_unit_emitter *unit,
                       const struct lox_function *function, LLVMValueRef code);
void lox_emitter_end(struct lox_emitter *emitter);

/* Code emitted from now on belongs to this line of the source. Returns the previous line. */
int lox_at_line(struct lox_emitter *emitter, int line);

/* A managed function of this unit, internal, without a body. */
LLVMValueRef lox_add_code(struct lox_unit_emitter *unit, uint32_t value_count, const char *prefix,
                          const char *name);

/* The same for types that are not values. */
LLVMValueRef lox_add_code_of_type(struct lox_unit_emitter *unit, LLVMTypeRef type,
                                  const char *prefix, const char *name);

/* An internal call site has no line in a stack trace. */
enum { LOX_NO_LINE = 0 };

/* Calls code with the closure, the receiver if it is a method's, and the arguments:
 * emit/passing.c. */
LLVMValueRef lox_call_words(struct lox_emitter *emitter, int line, LLVMValueRef code,
                            const LLVMValueRef *words, uint32_t count);

/* The word at `index`, in code that was called by lox_call_words with `count` words. */
LLVMValueRef lox_passed_word(struct lox_emitter *emitter, uint32_t count, uint32_t index);

/* Calls code of any type. */
LLVMValueRef lox_call_code(struct lox_emitter *emitter, int line, LLVMTypeRef type,
                           LLVMValueRef code, LLVMValueRef *arguments, uint32_t count);

/* Returns `result`, which has the code's return type. With tail calls, if the result comes from a
 * call of code of the caller's own type, and nothing is done after that, the call becomes a tail
 * call. */
void lox_return_result(struct lox_emitter *emitter, LLVMValueRef result);

/* Calls an entry point of the runtime that returns. */
LLVMValueRef lox_call_runtime(struct lox_emitter *emitter, int line, enum lox_entry entry,
                              LLVMValueRef *arguments);

void lox_poll(struct lox_emitter *emitter);

/* Calls an entry point that does not return, and ends the block: enter another one. */
void lox_call_error(struct lox_emitter *emitter, int line, enum lox_entry entry,
                    LLVMValueRef *arguments);

LLVMBasicBlockRef lox_block(struct lox_emitter *emitter, const char *name);
LLVMBasicBlockRef lox_current_block(const struct lox_emitter *emitter);
void lox_enter(struct lox_emitter *emitter, LLVMBasicBlockRef block);
void lox_jump(struct lox_emitter *emitter, LLVMBasicBlockRef target);
void lox_branch(struct lox_emitter *emitter, LLVMValueRef condition, LLVMBasicBlockRef then,
                LLVMBasicBlockRef otherwise);

/* The branch almost always goes to `then`. */
void lox_branch_likely(struct lox_emitter *emitter, LLVMValueRef condition, LLVMBasicBlockRef then,
                       LLVMBasicBlockRef otherwise);

/* Continues only if the condition holds, as it almost always does; otherwise branches to
 * `otherwise`. */
void lox_guard(struct lox_emitter *emitter, LLVMValueRef condition, LLVMBasicBlockRef otherwise);

/* The value that came from one of two blocks. */
LLVMValueRef lox_phi(struct lox_emitter *emitter, LLVMValueRef a, LLVMBasicBlockRef from_a,
                     LLVMValueRef b, LLVMBasicBlockRef from_b);

/* ---- Memory (memory.c) ---- */

/* Marks a load or a store with its part of memory. */
LLVMValueRef lox_in_memory(const struct lox_abi *abi, enum lox_memory memory, LLVMValueRef access);

/* Access words that hold values, in objects; or any data outside the heap: caches, descriptors,
 * literals. */
LLVMValueRef lox_load(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef base,
                      uint64_t offset);
LLVMValueRef lox_load_at(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef base,
                         LLVMValueRef offset);
void lox_store_at(struct lox_emitter *emitter, LLVMValueRef value, LLVMValueRef base,
                  LLVMValueRef offset);

LLVMValueRef lox_load_header(struct lox_emitter *emitter, LLVMValueRef object);
void lox_store_header(struct lox_emitter *emitter, LLVMValueRef header, LLVMValueRef object);

/* Access words of an object that the runtime maintains: a length, a list's store, an instance's
 * class. */
LLVMValueRef lox_load_structure(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef object,
                                uint64_t offset);
void lox_store_structure(struct lox_emitter *emitter, LLVMValueRef value, LLVMValueRef object,
                         uint64_t offset);

/* ---- Values ---- */

struct lox_value {
  LLVMValueRef llvm;
  enum lox_kind kind;
  bool is_instance; /* kind ANY, and known to be an instance */
  bool is_unique;   /* kind STRING: no other object is an equal string */
  /* Kind NUMBER: an integer that most likely equals it, and is cheaper to have than to compute;
   * code that relies on it compares first. NULL: none is known. */
  LLVMValueRef whole;
};

struct lox_value lox_any(LLVMValueRef llvm);
struct lox_value lox_instance(LLVMValueRef llvm);
struct lox_value lox_number(LLVMValueRef llvm);
struct lox_value lox_whole_number(LLVMValueRef llvm, LLVMValueRef whole);
struct lox_value lox_boolean(LLVMValueRef llvm);
struct lox_value lox_nil(struct lox_emitter *emitter);

/* The value of this kind that a word in memory represents. */
struct lox_value lox_unbox(struct lox_emitter *emitter, LLVMValueRef boxed, enum lox_kind kind);
LLVMValueRef lox_box(struct lox_emitter *emitter, struct lox_value value);

/* Converts the value to the representation of `kind`. The value must be known to have that kind. */
LLVMValueRef lox_convert(struct lox_emitter *emitter, struct lox_value value, enum lox_kind kind);
LLVMTypeRef lox_kind_type(const struct lox_abi *abi, enum lox_kind kind);

/* Stores into an object's field; without a write barrier if the value is known not to be an
 * object. */
void lox_store_value(struct lox_emitter *emitter, struct lox_value value, LLVMValueRef base,
                     LLVMValueRef offset);

LLVMValueRef lox_is_number(struct lox_emitter *emitter, struct lox_value value);
LLVMValueRef lox_is_object(struct lox_emitter *emitter, struct lox_value value);
LLVMValueRef lox_is_truthy(struct lox_emitter *emitter, struct lox_value value);

/* The double in a boxed word that is known to be a number. */
LLVMValueRef lox_decode_number(struct lox_emitter *emitter, LLVMValueRef boxed);

/* A number's `whole`: the known one, or the integral part of the number. It is arbitrary for a
 * number that fits no integer. */
LLVMValueRef lox_whole(struct lox_emitter *emitter, struct lox_value number);

/* Continues only if the value is an object with this header. */
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
struct lox_value lox_emit_set(struct lox_emitter *emitter, const struct lox_expression *expression);
struct lox_value lox_emit_super_get(struct lox_emitter *emitter,
                                    const struct lox_expression *expression);

struct lox_value lox_emit_list(struct lox_emitter *emitter,
                               const struct lox_expression *expression);
struct lox_value lox_emit_index(struct lox_emitter *emitter,
                                const struct lox_expression *expression);
struct lox_value lox_emit_index_set(struct lox_emitter *emitter,
                                    const struct lox_expression *expression);

/* Continues with the index as an integer if it is a whole number from 0 to limit - 1. */
LLVMValueRef lox_guard_index(struct lox_emitter *emitter, struct lox_value index,
                             LLVMValueRef limit, LLVMBasicBlockRef otherwise);

/* The offset of an item in a list store. */
LLVMValueRef lox_item_offset(struct lox_emitter *emitter, LLVMValueRef index);

struct lox_value lox_emit_call(struct lox_emitter *emitter,
                               const struct lox_expression *expression);

struct lox_native_signature;
struct lox_value lox_emit_native_call(struct lox_emitter *emitter,
                                      const struct lox_expression *call,
                                      const struct lox_native_signature *native);

/* The type of a function's code in its version for numbers. */
LLVMTypeRef lox_number_code_type(const struct lox_abi *abi, const struct lox_function *function);

/* The words that a call passes. The first two are for the callee and the receiver. */
struct lox_arguments {
  LLVMValueRef words[2 + UINT8_MAX];
  uint32_t count; /* without those two */
};

/* code(closure, receiver, arguments) */
LLVMValueRef lox_call_method(struct lox_emitter *emitter, int line, LLVMValueRef code,
                             LLVMValueRef closure, LLVMValueRef receiver,
                             struct lox_arguments *arguments);

/* Calls callee(arguments), whatever the callee is. */
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

/* Emits the initialisation of a declared variable: makes its cell, if it needs one. */
void lox_define(struct lox_emitter *emitter, const struct lox_reference *target,
                struct lox_value value, int line);
void lox_define_local(struct lox_emitter *emitter, const struct lox_variable *variable,
                      struct lox_value value, int line);

/* Code emitted from here on runs only once the variable is defined. */
void lox_mark_defined(struct lox_emitter *emitter, const struct lox_reference *target);

/* The function whose closure a use of the variable gives, if that is certain; the class,
 * likewise. */
const struct lox_function *lox_known_function(const struct lox_emitter *emitter,
                                              const struct lox_reference *reference);
const struct lox_class *lox_known_class(const struct lox_emitter *emitter,
                                        const struct lox_reference *reference);

/* The variable's boxed value, or the cell it lives in. */
LLVMValueRef lox_held_by_local(struct lox_emitter *emitter, const struct lox_variable *variable);
LLVMValueRef lox_held_by_capture(struct lox_emitter *emitter, uint32_t capture);

/* ---- Local variables in stack traces (locals.c) ---- */

/* Must be called before the first variable of the function's own code; adapters describe
 * nothing. */
void lox_open_scope(struct lox_emitter *emitter);

/* Must be called when the variable was defined. */
void lox_enter_scope(struct lox_emitter *emitter, const struct lox_variable *variable);

/* The deopt state of a call at this place, which the caller must dispose of; NULL when calls
 * describe nothing. */
LLVMOperandBundleRef lox_describe_locals(struct lox_emitter *emitter);

/* Gives every variable of the unit its number. Returns their names by number; NULL when calls
 * describe nothing. */
void lox_number_locals(struct lox_unit_emitter *unit);
LLVMValueRef lox_emit_local_names(struct lox_unit_emitter *unit);

/* ---- Exceptions ---- */

void lox_emit_throw(struct lox_emitter *emitter, const struct lox_statement *statement);
void lox_emit_try(struct lox_emitter *emitter, const struct lox_statement *statement);

/* Returns `result`, which has the code's return type, from inside emitter->finally. Ends the
 * block. */
void lox_return_through_finally(struct lox_emitter *emitter, LLVMValueRef result);

/* ---- Statements, functions, classes ---- */

void lox_emit_statement(struct lox_emitter *emitter, const struct lox_statement *statement);
void lox_emit_statements(struct lox_emitter *emitter, const struct lox_statement_list *list);
/* In the script's emitter: emits its statements, in parts if there are many. */
void lox_emit_script(struct lox_emitter *emitter);

/* The function's name in stack traces. */
const char *lox_function_display_name(const struct lox_function *function);

/* Declares code and descriptor. */
void lox_declare_function(struct lox_unit_emitter *unit, const struct lox_function *function);

/* Emits the bodies of the function's code, in each version. */
void lox_emit_function(struct lox_unit_emitter *unit, const struct lox_function *function);

/* Makes a closure whose captures are not filled in yet; the next function fills them in. */
LLVMValueRef lox_make_closure(struct lox_emitter *emitter, const struct lox_function *function,
                              int line);
void lox_fill_closure(struct lox_emitter *emitter, const struct lox_function *function,
                      LLVMValueRef closure);

/* Emits `return` of the value; without a value, the return of the function's default result. */
void lox_emit_return(struct lox_emitter *emitter, const struct lox_expression *value);

/* Declares and defines the adapter that makes instances. */
void lox_declare_class(struct lox_unit_emitter *unit, const struct lox_class *class_);
void lox_emit_class(struct lox_emitter *emitter, const struct lox_class *class_);

/* The result of calling the class object, if the class has its own initializer or inherits none: a
 * new instance on which the initializer was called. */
LLVMValueRef lox_construct(struct lox_emitter *emitter, int line, const struct lox_class *class_,
                           LLVMValueRef class_object, struct lox_arguments *arguments);

#endif
