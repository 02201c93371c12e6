/* Unwind information of JIT code in libunwind's form: one sorted table for the whole arena.
 *
 * libunwind searches its list of dynamic tables linearly and keeps memory for each, so there is one
 * table, replaced when an object is added or removed. The new table is registered before the old
 * one is removed, so that code that stays is covered throughout. Other threads may walk their
 * stacks meanwhile: the old table is freed when those walks have ended. So these functions must not
 * be called inside a walk.
 */
#ifndef SPGC_CODEGEN_JIT_JIT_UNWIND_H
#define SPGC_CODEGEN_JIT_JIT_UNWIND_H

#include "codegen/jit/jit_arena.h"
#include "spgc/result.h"

/* One entry of the table, both numbers relative to the arena's base: the start of a function, and
 * its description (FDE). The layout is that of .eh_frame_hdr (Linux Standard Base, exception
 * frames), which libunwind searches. */
struct jit_unwind_entry {
  int32_t start;
  int32_t description;
};

struct jit_unwind {
  const struct jit_arena *arena;
  struct jit_unwind_version *current; /* NULL while no code is loaded */
};

/* Adds the functions that an .eh_frame section describes. Its relocations must have been
 * applied. */
enum spgc_result spgc_jit_unwind_add(struct jit_unwind *unwind, const uint8_t *frames, size_t size,
                                     struct spgc_error *error);

/* Removes the functions that were added for the section. */
void spgc_jit_unwind_remove(struct jit_unwind *unwind, const uint8_t *frames, size_t size);

#endif
