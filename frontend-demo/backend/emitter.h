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
#include "frontend-demo/emit/emit.h"
#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/ast.h"

/* ---- The unit ---- */

/* The place of a local variable. */
struct lox_home {
  LLVMValueRef place; /* an alloca: of the value, or of the reference to its cell */
  /* The function whose closure it always holds; NULL when not known. */
  const struct lox_function *function;
};

/* One per function of the program. All fields except `homes` and
 * `definitions_before` are set before any code is emitted. */
struct lox_function_code {
  /* value code(closure, arguments...), or value code(closure, receiver, arguments...) */
  LLVMValueRef code;
  LLVMValueRef descriptor;     /* its struct lox_function_type */
  uint64_t number;             /* in the process */
  uint32_t definitions_before; /* of globals, once it is declared itself */
  /* By index of the variable; complete up to the point that emission has reached. */
  struct lox_home *homes;
};

struct lox_class_code {
  const struct lox_function *initializer; /* declared by the class itself; NULL without one */
  LLVMValueRef construct; /* code of class objects, of the initializer's arity; NULL without one */
};

struct lox_global_word {
  LLVMValueRef word; /* the variable; a root */
  /* The unit's number of the declaration that was emitted last; 0: none. Code runs after it whose
   * function has seen as many definitions, because top-level declarations run in order, and
   * functions are made in their places. */
  uint32_t defined_at;
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
  uint32_t definition_count; /* declarations of globals that were emitted */
};

/* ---- The function being emitted ---- */

enum lox_reason { LOX_REASON_NORMAL, LOX_REASON_EXCEPTION, LOX_REASON_RETURN };

/* A finally block around the current code. It is emitted once; the code that enters it first notes
 * where to continue. */
struct lox_finally {
  struct lox_finally *outer;
  LLVMBasicBlockRef block;
  LLVMValueRef reason;    /* an alloca: an enum lox_reason */
  LLVMValueRef exception; /* an alloca: the caught exception, if the block is to throw it again */
  LLVMValueRef
      result;   /* an alloca of the code's return type: the result, if the block is to return it */
  bool returns; /* some return goes through the block */
};

struct lox_emitter {
  struct lox_unit_emitter *unit;
  const struct lox_abi *abi;
  const struct lox_function *function;
  struct lox_home *homes; /* the function's */
  LLVMValueRef code;      /* the code being emitted: the function's code, or an adapter to it */
  LLVMBuilderRef builder;
  LLVMBuilderRef allocas;  /* at the end of the entry block, which holds only allocas */
  LLVMBasicBlockRef start; /* the entry block's successor */
  LLVMBasicBlockRef pad; /* where calls that throw continue; NULL: exceptions leave the function */
  struct lox_finally *finally; /* the innermost block that a return must run first; NULL: none */
  LLVMMetadataRef scope; /* of lines in debug information; NULL for adapters, and without it */
  int line;              /* the line of the current code */
};

void lox_emitter_begin(struct lox_emitter *emitter, struct lox_unit_emitter *unit,
                       const struct lox_function *function, LLVMValueRef code);
void lox_emitter_end(struct lox_emitter *emitter);

/* How many definitions of globals the code that is emitted has certainly seen. */
uint32_t lox_definitions_before(const struct lox_emitter *emitter);

/* Whether the variable is certainly defined where the code that is emitted runs. */
bool lox_is_defined(const struct lox_emitter *emitter, const struct lox_global *global);

/* Code emitted from now on belongs to this line of the source. Returns the previous line. */
int lox_at_line(struct lox_emitter *emitter, int line);

/* A managed function of this unit, internal, without a body. */
LLVMValueRef lox_add_code(struct lox_unit_emitter *unit, uint32_t value_count, const char *prefix,
                          const char *name);

/* An internal call site has no line in a stack trace. */
enum { LOX_NO_LINE = 0 };

/* Calls code with the closure, the receiver if it is a method's, and the arguments: call.c. */
LLVMValueRef lox_call_words(struct lox_emitter *emitter, int line, LLVMValueRef code,
                            const LLVMValueRef *words, uint32_t count);

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

/* Access words of objects, or data outside the heap: caches, descriptors, literals. Offsets are in
 * bytes. A store of a value that is known not to be an object gets no write barrier. */
LLVMValueRef lox_load(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef base,
                      uint64_t offset);
LLVMValueRef lox_load_at(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef base,
                         LLVMValueRef offset);
void lox_store(struct lox_emitter *emitter, LLVMValueRef value, LLVMValueRef base, uint64_t offset);
void lox_store_at(struct lox_emitter *emitter, LLVMValueRef value, LLVMValueRef base,
                  LLVMValueRef offset);

LLVMValueRef lox_load_header(struct lox_emitter *emitter, LLVMValueRef object);

/* The offset of an item in a list store. */
LLVMValueRef lox_item_offset(struct lox_emitter *emitter, LLVMValueRef index);

/* ---- Values ---- */

struct lox_value {
  LLVMValueRef llvm;
  enum lox_kind kind;
  bool is_instance; /* kind ANY, and known to be an instance */
  bool is_unique;   /* kind STRING: no other object is an equal string */
};

struct lox_value lox_any(LLVMValueRef llvm);
struct lox_value lox_instance(LLVMValueRef llvm);
struct lox_value lox_number(LLVMValueRef llvm);
struct lox_value lox_boolean(LLVMValueRef llvm);
struct lox_value lox_nil(struct lox_emitter *emitter);

/* The value of this kind that a word in memory represents. */
struct lox_value lox_unbox(struct lox_emitter *emitter, LLVMValueRef boxed, enum lox_kind kind);
LLVMValueRef lox_box(struct lox_emitter *emitter, struct lox_value value);

/* Converts the value to the representation of `kind`. The value must be known to have that kind. */
LLVMValueRef lox_convert(struct lox_emitter *emitter, struct lox_value value, enum lox_kind kind);
LLVMTypeRef lox_kind_type(const struct lox_abi *abi, enum lox_kind kind);

LLVMValueRef lox_is_number(struct lox_emitter *emitter, struct lox_value value);
LLVMValueRef lox_is_object(struct lox_emitter *emitter, struct lox_value value);
LLVMValueRef lox_is_truthy(struct lox_emitter *emitter, struct lox_value value);

/* The double in a boxed word that is known to be a number. */
LLVMValueRef lox_decode_number(struct lox_emitter *emitter, LLVMValueRef boxed);

/* Continues with the value as an integer if it is a whole number from 0 to limit - 1. */
LLVMValueRef lox_guard_index(struct lox_emitter *emitter, struct lox_value index,
                             LLVMValueRef limit, LLVMBasicBlockRef otherwise);

/* Continues only if the value is an object with this header. */
void lox_guard_header(struct lox_emitter *emitter, struct lox_value value, LLVMValueRef header,
                      LLVMBasicBlockRef otherwise);

/* ---- Names, literals, roots (literal.c) ---- */

/* The concatenation of both. */
char *lox_unit_text(struct lox_unit_emitter *unit, const char *prefix, const char *name);

/* The name's struct lox_name_literal. */
LLVMValueRef lox_unit_name(struct lox_unit_emitter *unit, const struct lox_name *name);

/* A new global variable that is a root. */
LLVMValueRef lox_unit_root(struct lox_unit_emitter *unit, const char *name);

/* A new root that holds this string once the unit is loaded. */
LLVMValueRef lox_unit_string(struct lox_unit_emitter *unit, struct lox_string text);

/* The expression must be a number, a string, nil or a truth value. */
struct lox_value lox_emit_literal(struct lox_emitter *emitter,
                                  const struct lox_expression *literal);

/* ---- Calls of values (call.c) ---- */

/* The words that a call passes. The first two are for the callee and the receiver. */
struct lox_arguments {
  LLVMValueRef words[2 + UINT8_MAX];
  uint32_t count; /* without those two */
};

/* Boxes arguments->count values into the words. */
void lox_box_arguments(struct lox_emitter *emitter, const struct lox_value *values,
                       struct lox_arguments *arguments);

/* code(closure, arguments) */
LLVMValueRef lox_call_closure(struct lox_emitter *emitter, int line, LLVMValueRef code,
                              LLVMValueRef callee, struct lox_arguments *arguments);

/* code(closure, receiver, arguments) */
LLVMValueRef lox_call_method(struct lox_emitter *emitter, int line, LLVMValueRef code,
                             LLVMValueRef closure, LLVMValueRef receiver,
                             struct lox_arguments *arguments);

/* Calls callee(arguments), whatever the callee is. */
LLVMValueRef lox_call_value(struct lox_emitter *emitter, int line, struct lox_value callee,
                            struct lox_arguments *arguments);

/* Emits a call that always fails. The code after it is unreachable. */
struct lox_value lox_call_wrongly(struct lox_emitter *emitter, int line, LLVMValueRef callee,
                                  uint32_t count);

/* ---- Local variables and captures (local.c) ---- */

bool lox_lives_in_cell(const struct lox_variable *variable);
LLVMTypeRef lox_place_type(struct lox_emitter *emitter, const struct lox_variable *variable);

struct lox_value lox_read_local(struct lox_emitter *emitter, const struct lox_variable *variable);
void lox_assign_local(struct lox_emitter *emitter, const struct lox_variable *variable,
                      struct lox_value value);
struct lox_value lox_read_capture(struct lox_emitter *emitter,
                                  const struct lox_reference *reference);
void lox_assign_capture(struct lox_emitter *emitter, const struct lox_reference *reference,
                        struct lox_value value);

/* Stores the captured values and cells into a closure of the function. */
void lox_fill_closure(struct lox_emitter *emitter, const struct lox_function *function,
                      LLVMValueRef closure);

/* ---- Exceptions (exception.c) ---- */

/* Enters the landing pad. Returns the exception. */
LLVMValueRef lox_land(struct lox_emitter *emitter, LLVMBasicBlockRef pad);

/* The finally block becomes the innermost one. Its places are initialised here. */
void lox_open_finally(struct lox_emitter *emitter, struct lox_finally *finally);
void lox_enter_finally(struct lox_emitter *emitter, const struct lox_finally *finally,
                       enum lox_reason reason);
LLVMValueRef lox_reason_value(const struct lox_emitter *emitter, enum lox_reason reason);

/* Returns `result`, which has the code's return type, from inside emitter->finally. Ends the
 * block. */
void lox_return_through_finally(struct lox_emitter *emitter, LLVMValueRef result);

/* Do after the finally block what it was entered for. */
void lox_go_on_returning(struct lox_emitter *emitter, const struct lox_finally *finally);
void lox_go_on_throwing(struct lox_emitter *emitter, const struct lox_finally *finally);

#endif
