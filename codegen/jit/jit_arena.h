/* All JIT code and data: one reserved range with an area for each kind of access, so that relative
 * references are shorter than 2 GiB. Nothing is ever both writable and executable (docs/jit.md,
 * "Memory").
 *
 *   code        read, execute      a file in memory
 *   read-only   read               another one
 *   data        read, write        private
 *
 * Written under the JIT's lock. */
#ifndef SPGC_CODEGEN_JIT_JIT_ARENA_H
#define SPGC_CODEGEN_JIT_JIT_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "codegen/jit/jit_space.h"
#include "spgc/result.h"

enum jit_access { JIT_EXECUTABLE, JIT_READ_ONLY, JIT_WRITABLE, JIT_AREAS };

struct jit_area {
  uint8_t *base;
  size_t size;
  struct jit_space space;
  size_t used;
  int file;     /* -1: private memory */
  dev_t device; /* the file's, to notice that the program closed its descriptor */
  ino_t number;
  size_t length;  /* memory beyond it must not be touched */
  unsigned forks; /* when the file was made */
};

struct jit_arena {
  uint8_t *base;
  size_t size;
  size_t page;
  struct jit_area areas[JIT_AREAS];
};

/* Bytes from the arena's base: an object has several. */
struct jit_span {
  uint32_t offset, size; /* size 0: not taken */
};

static inline uint8_t *jit_span_start(const struct jit_arena *arena, struct jit_span span) {
  return arena->base + span.offset;
}

/* `code_bytes` is 0 for the default. SPGC_ERROR_NO_MEMORY without address space; SPGC_ERROR_SYSTEM
 * if the system refuses executable memory or files in memory, as SELinux may. */
enum spgc_result spgc_jit_arena_reserve(struct jit_arena *arena, size_t code_bytes,
                                        struct spgc_error *error);
void spgc_jit_arena_release(struct jit_arena *arena);

/* `bytes` > 0; `alignment` is a power of two; data is zeroed. False without room or memory. */
bool spgc_jit_arena_take(struct jit_arena *arena, enum jit_access access, size_t bytes,
                         size_t alignment, struct jit_span *span);

/* On return, every thread fetches the written code. */
enum spgc_result spgc_jit_arena_write(struct jit_arena *arena, enum jit_access access, uint8_t *to,
                                      const void *bytes, size_t size, struct spgc_error *error);

void spgc_jit_arena_give_back(struct jit_arena *arena, enum jit_access access,
                              struct jit_span *span);

static inline bool jit_arena_contains(const struct jit_arena *arena, uintptr_t address) {
  return address - (uintptr_t)arena->base < arena->size;
}

#endif
