/* Call sites that were generated as sleds of nops, and the functions they call.
 *
 *   sled, as generated      nop ... nop
 *   patched                 nop ... nop, call *slot      the return address is the sled's end
 *
 * A slot is a word of writable memory, never code. Redirecting a patched site is one atomic store,
 * which is right whatever threads run the code meanwhile. No page of code is ever writable.
 *
 * Writers: spgc_jit's functions, under the JIT's lock. Generated code reads slots in any thread.
 */
#ifndef SPGC_CODEGEN_JIT_JIT_PATCH_H
#define SPGC_CODEGEN_JIT_JIT_PATCH_H

#include "codegen/jit/jit_arena.h"
#include "codegen/jit/patch_code.h"
#include "spgc/result.h"
#include "support/address_tree.h"

struct jit_patch {
  struct address_node node; /* of a live patch, by the sled's end */
  _Atomic uintptr_t *slot;  /* the callee's address */
  struct jit_patch *next;   /* the next spare one */
};

/* The patches whose slots are in one page. */
struct jit_patch_page {
  struct jit_patch_page *next;
  struct jit_patch patches[];
};

struct jit_patches {
  struct jit_arena *arena;
  const struct patch_code *code;
  struct address_edit live; /* struct jit_patch */
  struct jit_patch *spare;  /* without a site; their slots are reused */
  struct jit_patch_page *pages;
};

void spgc_jit_patch_open(struct jit_patches *patches, struct jit_arena *arena);

/* Makes the `bytes`-byte sled before `end`, which is in the arena's code, call `target`. */
enum spgc_result spgc_jit_patch_set(struct jit_patches *patches, uintptr_t end, size_t bytes,
                                    uintptr_t target, struct spgc_error *error);

/* Must be called when the span's code is removed. */
void spgc_jit_patch_forget(struct jit_patches *patches, struct jit_span span);

/* Frees the memory that is not in the arena. */
void spgc_jit_patch_free(struct jit_patches *patches);

#endif
