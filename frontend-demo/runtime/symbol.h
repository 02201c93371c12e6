/* Names in compiled source. Equal names are equal pointers. They live until the process ends. */
#ifndef LOX_RUNTIME_SYMBOL_H
#define LOX_RUNTIME_SYMBOL_H

#include <stdint.h>

#include "frontend-demo/runtime/abi.h"

struct lox_symbol {
  const char *text;
  uint64_t length;
  uint64_t hash; /* the start of searches in tables of symbols */
};

/* Looked up at the first call. */
const struct lox_symbol *lox_symbol_of(struct lox_name_literal *literal);

const struct lox_symbol *lox_symbol_intern(const char *text, uint64_t length);

/* From symbols to indexes: open addressing, at most three quarters full, without removal. Zeroed:
 * empty. */
struct lox_symbol_map {
  struct lox_symbol_map_entry *entries;
  uint32_t capacity; /* 0 or a power of two */
  uint32_t count;
};

struct lox_symbol_map_entry {
  const struct lox_symbol *symbol; /* NULL: free */
  uint32_t index;
};

enum { LOX_SYMBOL_MISSING = UINT32_MAX };

/* LOX_SYMBOL_MISSING if absent. */
uint32_t lox_symbol_map_find(const struct lox_symbol_map *map, const struct lox_symbol *symbol);

void lox_symbol_map_add(struct lox_symbol_map *map, const struct lox_symbol *symbol,
                        uint32_t index);

#endif
