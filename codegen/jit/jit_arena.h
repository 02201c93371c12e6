/* The address range of all JIT code and its data: reserved once, allocated in the system's pages.
 *
 * Invariant: the free extents are disjoint, not adjacent, and ascend. Pages outside a span are
 * inaccessible. One range keeps every relative reference between sections within 2 GiB, and lets
 * one unwind table cover all code.
 */
#ifndef SPGC_CODEGEN_JIT_JIT_ARENA_H
#define SPGC_CODEGEN_JIT_JIT_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct jit_extent {
  size_t first, count; /* pages */
  struct jit_extent *next;
};

struct jit_arena {
  uint8_t *base;
  size_t size;
  size_t page; /* bytes of one */
  struct jit_extent *free;
};

/* A run of pages of the arena. */
struct jit_span {
  uint8_t *start;
  size_t size; /* a multiple of the arena's page */
};

enum jit_protection { JIT_WRITABLE, JIT_READ_ONLY, JIT_EXECUTABLE };

/* False when the system refuses the address space. */
bool spgc_jit_arena_reserve(struct jit_arena *arena);
void spgc_jit_arena_release(struct jit_arena *arena);

/* Gives a zeroed, writable span of at least `bytes`. False when the arena or the system's memory is
 * exhausted. */
bool spgc_jit_arena_take(struct jit_arena *arena, size_t bytes, struct jit_span *span);

/* Of a span that becomes executable, every thread of the process fetches what was written there. */
bool spgc_jit_arena_protect(struct jit_span span, enum jit_protection protection);
void spgc_jit_arena_give_back(struct jit_arena *arena, struct jit_span span);

#endif
