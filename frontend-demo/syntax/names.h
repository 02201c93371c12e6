#ifndef LOX_SYNTAX_NAMES_H
#define LOX_SYNTAX_NAMES_H

#include "frontend-demo/syntax/ast.h"

/* Invariants: bucket_count is a power of two, or 0 while empty; name_count <= bucket_count. Buckets
 * and names are in the arena. */
struct lox_names {
  struct lox_arena *arena;
  struct lox_name **buckets;
  size_t bucket_count;
  size_t name_count;
};

void lox_names_init(struct lox_names *names, struct lox_arena *arena);

/* NULL if the text was not interned. */
struct lox_name *lox_names_find(const struct lox_names *names, const char *bytes, size_t length);

struct lox_name *lox_names_intern(struct lox_names *names, const char *bytes, size_t length);

#endif
