/* Call sites that were generated as sleds of nops, and what they call.
 *
 *   sled, as generated      nop ... nop
 *   patched                 nop ... nop, call *slot(%rip)        the call's return address is the
 * sled's end
 *
 * A slot is a word of writable memory, never code: redirecting a patched site is one atomic store,
 * right whoever runs the code meanwhile, and no page is ever writable and executable.
 *
 * Who writes, and when: everything here under the caller's protection (spgc_jit's functions are not
 * called by two threads at once); slots are read by generated code in any thread.
 */
#ifndef SPGC_CODEGEN_JIT_JIT_PATCH_H
#define SPGC_CODEGEN_JIT_JIT_PATCH_H

#include "codegen/jit/jit_arena.h"
#include "spgc/result.h"

struct jit_patch {
  uintptr_t end;           /* of the sled */
  _Atomic uintptr_t *slot; /* the callee */
  struct jit_patch *next;
};

struct jit_patches {
  struct jit_arena *arena;
  struct jit_patch *live;
  struct jit_patch *spare; /* without a site; their slots are used again */
};

/* Lets the sled of `bytes` bytes before `end` call `target`. The sled must be in executable pages
 * of the arena. */
enum spgc_result spgc_jit_patch_set(struct jit_patches *patches, uintptr_t end, size_t bytes,
                                    uintptr_t target, struct spgc_error *error);

/* The span's code goes away. */
void spgc_jit_patch_forget(struct jit_patches *patches, struct jit_span span);

/* Frees what is not in the arena. */
void spgc_jit_patch_free(struct jit_patches *patches);

#endif
