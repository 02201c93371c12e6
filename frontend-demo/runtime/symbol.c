#include "frontend-demo/runtime/symbol.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "frontend-demo/runtime/object.h"

/* A tree of tsearch(3). Written by the thread that runs Lox. */
static void *symbols;

/* FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash_of(const char *text, uint64_t length) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (uint64_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
  return hash;
}

static int compare(const void *left, const void *right) {
  const struct lox_symbol *a = left, *b = right;
  if (a->length != b->length)
    return a->length < b->length ? -1 : 1;
  return memcmp(a->text, b->text, a->length);
}

const struct lox_symbol *lox_symbol_intern(const char *text, uint64_t length) {
  const struct lox_symbol key = {.text = text, .length = length};
  struct lox_symbol **found = tfind(&key, &symbols, compare);
  if (found != NULL)
    return *found;
  struct lox_symbol *symbol = lox_memory(sizeof *symbol + length + 1);
  char *copy = (char *)(symbol + 1);
  memcpy(copy, text, length);
  copy[length] = '\0';
  *symbol = (struct lox_symbol){.text = copy, .length = length, .hash = hash_of(text, length)};
  if (tsearch(symbol, &symbols, compare) == NULL)
    lox_out_of_memory();
  return symbol;
}

const struct lox_symbol *lox_symbol_of(struct lox_name_literal *literal) {
  if (literal->interned == NULL)
    literal->interned = lox_symbol_intern(literal->text, literal->length);
  return literal->interned;
}

uint32_t lox_symbol_map_find(const struct lox_symbol_map *map, const struct lox_symbol *symbol) {
  if (map->capacity == 0)
    return LOX_SYMBOL_MISSING;
  uint64_t mask = map->capacity - 1;
  for (uint64_t i = symbol->hash & mask;; i = (i + 1) & mask) {
    const struct lox_symbol_map_entry *entry = &map->entries[i];
    if (entry->symbol == symbol)
      return entry->index;
    if (entry->symbol == NULL)
      return LOX_SYMBOL_MISSING;
  }
}

static void insert(struct lox_symbol_map *map, struct lox_symbol_map_entry entry) {
  uint64_t mask = map->capacity - 1;
  uint64_t i = entry.symbol->hash & mask;
  while (map->entries[i].symbol != NULL)
    i = (i + 1) & mask;
  map->entries[i] = entry;
}

static void grow_map(struct lox_symbol_map *map) {
  struct lox_symbol_map grown = {.capacity = map->capacity == 0 ? 8 : map->capacity * 2,
                                 .count = map->count};
  grown.entries = lox_memory(grown.capacity * sizeof *grown.entries);
  memset(grown.entries, 0, grown.capacity * sizeof *grown.entries);
  for (uint32_t i = 0; i < map->capacity; i++) {
    if (map->entries[i].symbol != NULL)
      insert(&grown, map->entries[i]);
  }
  free(map->entries);
  *map = grown;
}

void lox_symbol_map_add(struct lox_symbol_map *map, const struct lox_symbol *symbol,
                        uint32_t index) {
  if (map->count >= map->capacity / 4 * 3)
    grow_map(map);
  insert(map, (struct lox_symbol_map_entry){symbol, index});
  map->count++;
}
