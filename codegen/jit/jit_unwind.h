/* Unwind information of JIT code, for libunwind, which the stack walker also reads, and for
 * libgcc's unwinder, if the process has it. Both search their registrations one by one, so objects
 * whose code starts in one chunk of the arena share a sorted table for libunwind, and a list of
 * sections for libgcc.
 *
 * A table grows in place while code is added after its last function, and a removal makes entries
 * repeat their neighbour. Otherwise a new table is registered before the old one is removed, so
 * that remaining code is always covered. The old one is freed when the walks that may use it have
 * ended, so do not call these functions inside a walk. */
#ifndef SPGC_CODEGEN_JIT_JIT_UNWIND_H
#define SPGC_CODEGEN_JIT_JIT_UNWIND_H

#include "codegen/jit/jit_arena.h"
#include "spgc/result.h"

struct jit_unwind_chunk {
  struct jit_unwind_table *table; /* NULL while there is no code */
  /* libgcc's sections, ended by NULL, then its record of them. The first list is registered if it
   * has sections; the second has room for its successor. */
  const uint8_t **lists[2];
  size_t section_count, section_capacity;
};

struct jit_unwind {
  const struct jit_arena *arena;
  struct jit_unwind_chunk *chunks;
};

bool spgc_jit_unwind_open(struct jit_unwind *unwind, const struct jit_arena *arena);
void spgc_jit_unwind_close(struct jit_unwind *unwind);

/* The object's relocated .eh_frame, followed by four zero bytes. */
struct jit_frames {
  const uint8_t *start;
  size_t size;
};

/* The described functions are in `code`. Sets `is_added` if there are any. */
enum spgc_result spgc_jit_unwind_add(struct jit_unwind *unwind, struct jit_frames frames,
                                     struct jit_span code, bool *is_added,
                                     struct spgc_error *error);

/* Needs no memory. */
void spgc_jit_unwind_remove(struct jit_unwind *unwind, const uint8_t *frames, struct jit_span code);

#endif
