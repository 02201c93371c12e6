#include "frontend-demo/syntax/arena.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 64 * 1024, ALIGNMENT = alignof(max_align_t), FIRST_CAPACITY = 4 };

/* Invariant: used <= capacity; both count bytes of `memory`. */
struct chunk {
  struct chunk *older;
  size_t used;
  size_t capacity;
  alignas(max_align_t) char memory[];
};

struct lox_arena {
  struct chunk *newest;
};

static _Noreturn void out_of_memory(void) {
  fputs("lox: out of memory\n", stderr);
  exit(70);
}

static void *zeroed(size_t size) {
  void *memory = calloc(1, size);
  if (!memory)
    out_of_memory();
  return memory;
}

struct lox_arena *lox_arena_create(void) {
  return zeroed(sizeof(struct lox_arena));
}

void lox_arena_destroy(struct lox_arena *arena) {
  if (!arena)
    return;
  for (struct chunk *chunk = arena->newest; chunk;) {
    struct chunk *older = chunk->older;
    free(chunk);
    chunk = older;
  }
  free(arena);
}

static struct chunk *add_chunk(struct lox_arena *arena, size_t at_least) {
  size_t capacity = at_least > CHUNK_BYTES ? at_least : CHUNK_BYTES;
  struct chunk *chunk = zeroed(sizeof(struct chunk) + capacity);
  chunk->capacity = capacity;
  chunk->older = arena->newest;
  arena->newest = chunk;
  return chunk;
}

void *lox_arena_allocate(struct lox_arena *arena, size_t size) {
  if (size > SIZE_MAX / 2)
    out_of_memory();
  size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  struct chunk *chunk = arena->newest;
  if (!chunk || chunk->capacity - chunk->used < size)
    chunk = add_chunk(arena, size);
  void *memory = chunk->memory + chunk->used;
  chunk->used += size;
  return memory;
}

char *lox_arena_copy(struct lox_arena *arena, const char *bytes, size_t length) {
  char *copy = lox_arena_allocate(arena, length + 1);
  if (length > 0)
    memcpy(copy, bytes, length);
  return copy;
}

/* Capacities are 0, then FIRST_CAPACITY times powers of two, so an array is full if its count is
 * one of them. */
void *lox_arena_grow(struct lox_arena *arena, void *items, uint32_t count, size_t size) {
  bool is_full = count == 0 || (count >= FIRST_CAPACITY && (count & (count - 1)) == 0);
  if (!is_full)
    return items;
  if (count > UINT32_MAX / 2)
    out_of_memory();
  uint32_t capacity = count == 0 ? FIRST_CAPACITY : 2 * count;
  void *larger = lox_arena_allocate(arena, capacity * size);
  if (count > 0)
    memcpy(larger, items, count * size);
  return larger;
}
