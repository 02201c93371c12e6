/* What the optimiser must not see: accesses to words that may be references, their copies and
 * casts, and calls that access them.
 *
 * Each is a call of a leaf function that the optimiser does not know, of a name with the prelude's
 * prefix, until it is shown again. Such a call claims to write the memory that a safepoint writes,
 * which keeps it on its side of every safepoint.
 */
#ifndef SPGC_CODEGEN_IR_HIDDEN_H
#define SPGC_CODEGEN_IR_HIDDEN_H

#include <stdbool.h>

#include <llvm-c/Core.h>

/* A load that is not atomic; a store through an ordinary pointer, too; a cast of a number to a
 * reference. The instruction is gone afterwards. */
void spgc_hide_access(LLVMValueRef instruction);

/* Notes behind a store what was stored: the optimiser takes the note for a reader. */
void spgc_note_store(LLVMValueRef store);

/* A copy to the optimiser still, which knows where it reads and writes, and nothing else. */
void spgc_hide_copy(LLVMValueRef transfer);

/* A call of an intrinsic, or of a function of the C library. It may read and write any memory. */
void spgc_hide_call(LLVMValueRef call);

/* Makes an instruction what it was before it was hidden. Returns whether it was. */
bool spgc_show(LLVMValueRef instruction);

#endif
