/* Whether a safepoint lies between the definition of a value and a use of it, on some path. */
#ifndef SPGC_CODEGEN_IR_SAFEPOINTS_H
#define SPGC_CODEGEN_IR_SAFEPOINTS_H

#include <stdbool.h>

#include "codegen/ir/loops.h"
#include "codegen/ir/values.h"

enum safepoint_kind {
  SAFEPOINTS_PLACED,  /* the statepoints, once RS4GC has run */
  SAFEPOINTS_POSSIBLE /* before polls are placed: calls that are no leaves, and the ends of rounds
                         of loops, unless their number is a known constant */
};

/* A function, read once for all questions. Zero-initialised, none. Meanwhile no block may change
 * its successors, and no safepoint be added; questions are about what was there at the reading. */
struct safepoints {
  LLVMValueRef function;
  enum safepoint_kind kind;
  struct loops loops;
  struct values instructions; /* of reachable blocks, in order */
  unsigned *before;           /* of each instruction: the safepoints before it in its block */
  unsigned *phi_searched;     /* of each that is a phi: the last search that met it, or 0 */
  unsigned *inside;           /* of each block: its safepoints */
  unsigned *searched;         /* of each block: the last search that came from it, or 0 */
  bool *polls;                /* of each block: it is the header of a loop with polls */
  LLVMValueRef definition;    /* that the last search was about */
  unsigned search;
};

/* Reads the function, unless it is the one that was read last. */
void spgc_safepoints_read(struct safepoints *safepoints, LLVMValueRef function,
                          enum safepoint_kind kind);
void spgc_safepoints_free(struct safepoints *safepoints);

/* `use` is an instruction; the value, which is one that dominates it or a parameter, is used there.
 * What a phi uses, it uses at the end of the block that it comes from. */
bool spgc_safepoint_lies_between(struct safepoints *safepoints, LLVMValueRef value,
                                 LLVMValueRef use);

/* The first user with a safepoint between that the search finds, or NULL. */
LLVMValueRef spgc_user_behind_safepoint(struct safepoints *safepoints, LLVMValueRef value);

#endif
