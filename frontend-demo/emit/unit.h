/* Invariant: a lox_value of kind NUMBER is a double, of kind BOOLEAN an i1, of others a ptr
 * addrspace(1). */
#ifndef LOX_EMIT_UNIT_H
#define LOX_EMIT_UNIT_H

#include "frontend-demo/backend/emitter.h"
#include "frontend-demo/backend/record.h"
#include "frontend-demo/emit/emit.h"
#include "frontend-demo/emit/entries.h"
#include "frontend-demo/runtime/abi.h"
#include "frontend-demo/syntax/arena.h"
#include "frontend-demo/syntax/ast.h"

/* A local variable's. */
struct lox_home {
  LLVMValueRef place; /* an alloca: of the value, or of the reference to its cell */
  /* It always holds this closure; NULL if not known. */
  const struct lox_function *function;
};

/* All but `homes` and `definitions_before` are set before any code is emitted. */
struct lox_function_code {
  /* value code(closure, arguments...), or value code(closure, receiver, arguments...) */
  LLVMValueRef code;
  LLVMValueRef descriptor;     /* a struct lox_function_type */
  uint64_t number;             /* unique in the process */
  uint32_t definitions_before; /* globals defined before its own declaration */
  /* By variable index; complete up to the current point. */
  struct lox_home *homes;
};

struct lox_class_code {
  const struct lox_function *initializer;
  LLVMValueRef construct; /* code of class objects, of the initializer's arity; NULL without one */
};

struct lox_global_word {
  LLVMValueRef word; /* a root */
  /* The number of its last emitted declaration; 0: none. A function with a larger
   * `definitions_before` runs after it, because top-level declarations run in order and make
   * closures. */
  uint32_t defined_at;
  bool is_of_this_unit;
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
  struct lox_debug *debug;     /* NULL: none */
  struct lox_arena *arena;     /* owns everything below */

  struct lox_function_code *functions; /* indexed like the program's, as are the next two */
  struct lox_class_code *classes;
  struct lox_global_word *globals;
  struct lox_string_slot *strings; /* the last one first */
  uint32_t string_count;
  bool has_stops;
  uint32_t definition_count; /* declarations of globals that were emitted */
};

struct lox_source {
  struct lox_unit_emitter *unit;
  const struct lox_function *function;
  struct lox_home *homes; /* the function's */
};

void lox_begin_function(struct lox_emitter *emitter, struct lox_unit_emitter *unit,
                        const struct lox_function *function, LLVMValueRef code);

/* Those that have certainly run. */
uint32_t lox_definitions_before(const struct lox_emitter *emitter);

/* Whether it is certain when the emitted code runs. */
bool lox_is_defined(const struct lox_emitter *emitter, const struct lox_global *global);

/* In a list store. */
LLVMValueRef lox_item_offset(struct lox_emitter *emitter, LLVMValueRef index);

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

/* `boxed` is a word of memory. */
struct lox_value lox_unbox(struct lox_emitter *emitter, LLVMValueRef boxed, enum lox_kind kind);
LLVMValueRef lox_box(struct lox_emitter *emitter, struct lox_value value);

/* The value must have that kind. */
LLVMValueRef lox_convert(struct lox_emitter *emitter, struct lox_value value, enum lox_kind kind);
LLVMTypeRef lox_kind_type(const struct lox_abi *abi, enum lox_kind kind);

LLVMValueRef lox_is_number(struct lox_emitter *emitter, struct lox_value value);
LLVMValueRef lox_is_object(struct lox_emitter *emitter, struct lox_value value);
LLVMValueRef lox_is_truthy(struct lox_emitter *emitter, struct lox_value value);

/* The word must be a number. */
LLVMValueRef lox_decode_number(struct lox_emitter *emitter, LLVMValueRef boxed);

/* Continues if the value is a whole number below `limit`. */
LLVMValueRef lox_guard_index(struct lox_emitter *emitter, struct lox_value index,
                             LLVMValueRef limit, LLVMBasicBlockRef otherwise);

void lox_guard_header(struct lox_emitter *emitter, struct lox_value value, LLVMValueRef header,
                      LLVMBasicBlockRef otherwise);

char *lox_unit_text(struct lox_unit_emitter *unit, const char *prefix, const char *name);

/* A struct lox_name_literal. */
LLVMValueRef lox_unit_name(struct lox_unit_emitter *unit, const struct lox_name *name);

LLVMValueRef lox_unit_root(struct lox_unit_emitter *unit, const char *name);

/* A new root, which gets this string when the unit is loaded. */
LLVMValueRef lox_unit_string(struct lox_unit_emitter *unit, struct lox_string text);

struct lox_value lox_emit_literal(struct lox_emitter *emitter,
                                  const struct lox_expression *literal);

/* Begins with room for callee and receiver. */
struct lox_arguments {
  LLVMValueRef words[2 + UINT8_MAX];
  uint32_t count; /* not counting those two */
};

void lox_box_arguments(struct lox_emitter *emitter, const struct lox_value *values,
                       struct lox_arguments *arguments);

/* code(closure, arguments) */
LLVMValueRef lox_call_closure(struct lox_emitter *emitter, int line, LLVMValueRef code,
                              LLVMValueRef callee, struct lox_arguments *arguments);

/* code(closure, receiver, arguments) */
LLVMValueRef lox_call_method(struct lox_emitter *emitter, int line, LLVMValueRef code,
                             LLVMValueRef closure, LLVMValueRef receiver,
                             struct lox_arguments *arguments);

LLVMValueRef lox_call_value(struct lox_emitter *emitter, int line, struct lox_value callee,
                            struct lox_arguments *arguments);

/* The call always fails, so the code after it is unreachable. */
struct lox_value lox_call_wrongly(struct lox_emitter *emitter, int line, LLVMValueRef callee,
                                  uint32_t count);

bool lox_lives_in_cell(const struct lox_variable *variable);
LLVMTypeRef lox_place_type(struct lox_emitter *emitter, const struct lox_variable *variable);

struct lox_value lox_read_local(struct lox_emitter *emitter, const struct lox_variable *variable);
void lox_assign_local(struct lox_emitter *emitter, const struct lox_variable *variable,
                      struct lox_value value);
struct lox_value lox_read_capture(struct lox_emitter *emitter,
                                  const struct lox_reference *reference);
void lox_assign_capture(struct lox_emitter *emitter, const struct lox_reference *reference,
                        struct lox_value value);

void lox_fill_closure(struct lox_emitter *emitter, const struct lox_function *function,
                      LLVMValueRef closure);

/* Adds a struct lox_type at `base`, for objects with `word_count` values after the header.
 * `field_names` is an array, or NULL. */
void lox_record_type(struct lox_record *record, size_t base, uint32_t word_count, LLVMValueRef name,
                     uint32_t kind, uint32_t call_key, LLVMValueRef code, LLVMValueRef field_names);

#endif
