/* Invariants
 *   The builder is at the end of a block without a terminator whenever an emit function is
 *     entered or left.
 *   A value computed from an object's address is used before the next call. */
#ifndef LOX_BACKEND_EMITTER_H
#define LOX_BACKEND_EMITTER_H

#include <stdbool.h>

#include "frontend-demo/backend/abi.h"

enum lox_reason { LOX_REASON_NORMAL, LOX_REASON_EXCEPTION, LOX_REASON_RETURN };

/* A finally block is emitted once; code that enters it notes where to continue. */
struct lox_finally {
  struct lox_finally *outer;
  LLVMBasicBlockRef block;
  LLVMValueRef reason;    /* an alloca: an enum lox_reason */
  LLVMValueRef exception; /* an alloca: the caught exception, if it is to be thrown again */
  LLVMValueRef result;    /* an alloca: the code's result, if it is to be returned */
  bool returns;           /* some return goes through the block */
};

/* The language's part. */
struct lox_source;

struct lox_emitter {
  const struct lox_abi *abi;
  LLVMModuleRef module;
  struct lox_source *source;
  uint64_t number; /* part of the IDs of the function's calls */
  LLVMValueRef code;
  LLVMBuilderRef builder;
  LLVMBuilderRef allocas;  /* positioned at the end of the entry block, which holds only allocas */
  LLVMBasicBlockRef start; /* the entry block's successor */
  LLVMBasicBlockRef pad; /* calls that throw continue there; NULL: exceptions leave the function */
  struct lox_finally *finally; /* the innermost that a return must run first, or NULL */
  LLVMMetadataRef scope;       /* NULL for adapters, or without debug information */
  int line;
};

/* Begins code without a body. The caller then sets source, number and scope. */
void lox_emitter_begin(struct lox_emitter *emitter, const struct lox_abi *abi, LLVMModuleRef module,
                       LLVMValueRef code);
void lox_emitter_end(struct lox_emitter *emitter);

/* Returns the previous line. */
int lox_at_line(struct lox_emitter *emitter, int line);

/* A managed, internal function without a body. */
LLVMValueRef lox_add_code(const struct lox_abi *abi, LLVMModuleRef module, uint32_t value_count,
                          const char *prefix, const char *name);

LLVMValueRef lox_call_words(struct lox_emitter *emitter, int line, LLVMValueRef code,
                            const LLVMValueRef *words, uint32_t count);

LLVMValueRef lox_call_code(struct lox_emitter *emitter, int line, LLVMTypeRef type,
                           LLVMValueRef code, LLVMValueRef *arguments, uint32_t count);

/* If tail calls are asked for, a call whose result is returned becomes one, provided that it calls
 * code of the caller's type. */
void lox_return_result(struct lox_emitter *emitter, LLVMValueRef result);

LLVMValueRef lox_call_runtime(struct lox_emitter *emitter, int line, unsigned entry,
                              LLVMValueRef *arguments);

void lox_poll(struct lox_emitter *emitter);

/* The entry point does not return. The caller must then enter another block. */
void lox_call_error(struct lox_emitter *emitter, int line, unsigned entry, LLVMValueRef *arguments);

LLVMBasicBlockRef lox_block(struct lox_emitter *emitter, const char *name);
LLVMBasicBlockRef lox_current_block(const struct lox_emitter *emitter);
void lox_enter(struct lox_emitter *emitter, LLVMBasicBlockRef block);
void lox_jump(struct lox_emitter *emitter, LLVMBasicBlockRef target);
void lox_branch(struct lox_emitter *emitter, LLVMValueRef condition, LLVMBasicBlockRef then,
                LLVMBasicBlockRef otherwise);

void lox_branch_likely(struct lox_emitter *emitter, LLVMValueRef condition, LLVMBasicBlockRef then,
                       LLVMBasicBlockRef otherwise);

/* The condition almost always holds. */
void lox_guard(struct lox_emitter *emitter, LLVMValueRef condition, LLVMBasicBlockRef otherwise);

LLVMValueRef lox_phi(struct lox_emitter *emitter, LLVMValueRef a, LLVMBasicBlockRef from_a,
                     LLVMValueRef b, LLVMBasicBlockRef from_b);

/* Offsets are bytes. The base may be outside the heap. A value known not to be an object is stored
 * without a write barrier. */
LLVMValueRef lox_load(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef base,
                      uint64_t offset);
LLVMValueRef lox_load_at(struct lox_emitter *emitter, LLVMTypeRef type, LLVMValueRef base,
                         LLVMValueRef offset);
void lox_store(struct lox_emitter *emitter, LLVMValueRef value, LLVMValueRef base, uint64_t offset);
void lox_store_at(struct lox_emitter *emitter, LLVMValueRef value, LLVMValueRef base,
                  LLVMValueRef offset);

LLVMValueRef lox_load_header(struct lox_emitter *emitter, LLVMValueRef object);

/* Returns the exception. */
LLVMValueRef lox_land(struct lox_emitter *emitter, LLVMBasicBlockRef pad);

/* Also initialises its allocas. */
void lox_open_finally(struct lox_emitter *emitter, struct lox_finally *finally);
void lox_enter_finally(struct lox_emitter *emitter, const struct lox_finally *finally,
                       enum lox_reason reason);
LLVMValueRef lox_reason_value(const struct lox_emitter *emitter, enum lox_reason reason);

/* Ends the block. */
void lox_return_through_finally(struct lox_emitter *emitter, LLVMValueRef result);

void lox_go_on_returning(struct lox_emitter *emitter, const struct lox_finally *finally);
void lox_go_on_throwing(struct lox_emitter *emitter, const struct lox_finally *finally);

#endif
