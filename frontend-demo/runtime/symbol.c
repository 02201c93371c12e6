#include "frontend-demo/runtime/symbol.h"

#include <stdlib.h>
#include <string.h>

#include "frontend-demo/runtime/object.h"

/* Written by the thread that runs Lox only. */
static struct {
  struct lox_symbol **buckets;
  uint64_t bucket_count; /* 0 or a power of two */
  uint64_t symbol_count;
} symbols;

/* FNV-1a, 64 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash_of(const char *text, uint64_t length) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (uint64_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
  return hash;
}

static void grow_buckets(void) {
  uint64_t count = symbols.bucket_count == 0 ? 64 : symbols.bucket_count * 2;
  struct lox_symbol **buckets = (struct lox_symbol **)lox_memory(count * sizeof *buckets);
  memset((void *)buckets, 0, count * sizeof *buckets);
  for (uint64_t i = 0; i < symbols.bucket_count; i++) {
    for (struct lox_symbol *symbol = symbols.buckets[i], *next; symbol != NULL; symbol = next) {
      next = symbol->next;
      struct lox_symbol **bucket = &buckets[symbol->hash & (count - 1)];
      symbol->next = *bucket;
      *bucket = symbol;
    }
  }
  free((void *)symbols.buckets);
  symbols.buckets = buckets;
  symbols.bucket_count = count;
}

const struct lox_symbol *lox_symbol_intern(const char *text, uint64_t length) {
  if (symbols.symbol_count >= symbols.bucket_count)
    grow_buckets();
  uint64_t hash = hash_of(text, length);
  struct lox_symbol **bucket = &symbols.buckets[hash & (symbols.bucket_count - 1)];
  for (struct lox_symbol *symbol = *bucket; symbol != NULL; symbol = symbol->next) {
    if (symbol->hash == hash && symbol->length == length && memcmp(symbol->text, text, length) == 0)
      return symbol;
  }
  struct lox_symbol *symbol = lox_memory(sizeof *symbol + length + 1);
  symbol->next = *bucket;
  symbol->hash = hash;
  symbol->length = length;
  memcpy(symbol->text, text, length);
  symbol->text[length] = '\0';
  *bucket = symbol;
  symbols.symbol_count++;
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
