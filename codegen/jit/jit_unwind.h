/* Unwind information of JIT code: for libunwind, which the stack walker also reads, and for
 * libgcc's unwinder, if the process has it.
 *
 * Both search what is registered one by one, so objects are registered together: those whose code
 * starts in the same chunk of the arena share a sorted table for libunwind, and a list of sections
 * for libgcc. So a change costs what the chunk's objects cost, and a search the number of chunks in
 * use, which is small: a chunk has about a thousand functions.
 *
 * A table for libunwind grows in place while code is added behind its last function. Otherwise it
 * is replaced: the new table is registered before the old one is removed, so that code that stays
 * is covered throughout, and the old one is freed when the walks that may use it have ended. So
 * these functions must not be called inside a walk.
 */
#ifndef SPGC_CODEGEN_JIT_JIT_UNWIND_H
#define SPGC_CODEGEN_JIT_JIT_UNWIND_H

#include "codegen/jit/jit_arena.h"
#include "spgc/result.h"

/* An object's part in it. All zero: it is not registered. */
struct jit_unwind_object {
  struct address_node node; /* in the chunk; the key is the start of the code */
  const uint8_t *frames;    /* its .eh_frame section, which zeros follow */
  size_t size;
  struct jit_span code;
};

struct jit_unwind_chunk {
  struct jit_unwind_table *table; /* libunwind's; NULL while there is no code */
  struct address_edit objects;    /* struct jit_unwind_object */
  const uint8_t **sections;       /* libgcc's; NULL if nothing is registered */
  size_t section_count;
};

struct jit_unwind {
  const struct jit_arena *arena;
  struct jit_unwind_chunk *chunks;
};

/* False if there is no memory. */
bool spgc_jit_unwind_open(struct jit_unwind *unwind, const struct jit_arena *arena);
void spgc_jit_unwind_close(struct jit_unwind *unwind);

/* Adds the functions that an .eh_frame section describes. Its relocations must have been applied,
 * and four zero bytes must follow it. */
enum spgc_result spgc_jit_unwind_add(struct jit_unwind *unwind, struct jit_unwind_object *object,
                                     const uint8_t *frames, size_t size, struct jit_span code,
                                     struct spgc_error *error);

/* Removes the object's functions, if they were added. */
void spgc_jit_unwind_remove(struct jit_unwind *unwind, struct jit_unwind_object *object);

#endif
