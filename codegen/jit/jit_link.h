/* Code in the arena reaches the program's names, which may be anywhere, by a stub and a slot with
 * the address. All objects share them until the arena is freed. Under the JIT's lock. */
#ifndef SPGC_CODEGEN_JIT_JIT_LINK_H
#define SPGC_CODEGEN_JIT_JIT_LINK_H

#include "codegen/jit/jit_arena.h"

/* Offsets from the arena's base. `slot` is 0 if not made yet; the first stub may be at 0. */
struct jit_link {
  uint32_t stub, slot;
};

struct jit_links {
  struct jit_link next;
  unsigned left; /* taken together, so that they are not between objects */
};

enum spgc_result spgc_jit_link_make(struct jit_links *links, struct jit_arena *arena,
                                    uintptr_t address, struct jit_link *link,
                                    struct spgc_error *error);

#endif
