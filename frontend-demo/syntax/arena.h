#ifndef LOX_SYNTAX_ARENA_H
#define LOX_SYNTAX_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct lox_arena;

/* Without memory, these functions end the process with a message and exit code 70. */
struct lox_arena *lox_arena_create(void);

/* Accepts NULL. */
void lox_arena_destroy(struct lox_arena *arena);

/* Zeroed, aligned for any type. */
void *lox_arena_allocate(struct lox_arena *arena, size_t size);

/* NUL-terminated. */
char *lox_arena_copy(struct lox_arena *arena, const char *bytes, size_t length);

/* Returns `items` or a larger copy. Arrays grow only this way, from NULL, so their capacity follows
 * from their count. */
void *lox_arena_grow(struct lox_arena *arena, void *items, uint32_t count, size_t size);

#define LOX_APPEND(arena, items, count, item)                                                      \
  ((items) = lox_arena_grow((arena), (void *)(items), (count), sizeof *(items)),                   \
   (items)[(count)++] = (item))

#endif
