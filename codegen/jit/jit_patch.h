/* Call sites generated as sleds of nops (patch_code.h), and the functions they call. A patched call
 * goes through a slot, a word of writable memory, so one atomic store redirects it.
 *
 * Written under the JIT's lock; any thread reads slots. */
#ifndef SPGC_CODEGEN_JIT_JIT_PATCH_H
#define SPGC_CODEGEN_JIT_JIT_PATCH_H

#include "codegen/jit/jit_arena.h"
#include "codegen/jit/patch_code.h"
#include "spgc/result.h"
#include "support/address_tree.h"

struct jit_patch {
  struct address_node node; /* its key is the sled's end, while it is live */
  _Atomic uintptr_t *slot;
  struct jit_patch *next;
};

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

/* Makes the sled of `bytes` before `end`, in the arena's code, call `target`. */
enum spgc_result spgc_jit_patch_set(struct jit_patches *patches, uintptr_t end, size_t bytes,
                                    uintptr_t target, struct spgc_error *error);

/* Before the span's code is removed. */
void spgc_jit_patch_forget(struct jit_patches *patches, struct jit_span span);

void spgc_jit_patch_free(struct jit_patches *patches);

#endif
