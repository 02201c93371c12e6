#include "codegen/jit/jit_symbols.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "support/hash_index.h"

enum { FIRST_BUCKETS = 256 };

static struct jit_symbol **bucket_of(const struct jit_symbols *symbols, uint32_t hash) {
  return &symbols->buckets[hash & (symbols->bucket_count - 1)];
}

struct jit_symbol *spgc_jit_symbols_find(const struct jit_symbols *symbols, const char *name) {
  if (symbols->bucket_count == 0)
    return NULL;
  uint32_t hash = spgc_hash_bytes(name, strlen(name));
  struct jit_symbol *symbol = *bucket_of(symbols, hash);
  while (symbol != NULL && (symbol->hash != hash || strcmp(symbol->name, name) != 0))
    symbol = symbol->next;
  return symbol;
}

static void link_in(struct jit_symbols *symbols, struct jit_symbol *symbol) {
  struct jit_symbol **bucket = bucket_of(symbols, symbol->hash);
  symbol->next = *bucket;
  *bucket = symbol;
}

/* Keeps one to two buckets for each symbol. */
static bool grow(struct jit_symbols *symbols) {
  struct jit_symbols old = *symbols;
  size_t count = old.bucket_count == 0 ? FIRST_BUCKETS : 2 * old.bucket_count;
  symbols->buckets = (struct jit_symbol **)calloc(count, sizeof *symbols->buckets);
  if (symbols->buckets == NULL) {
    *symbols = old;
    return false;
  }
  symbols->bucket_count = count;
  for (size_t i = 0; i < old.bucket_count; i++)
    for (struct jit_symbol *symbol = old.buckets[i], *next; symbol != NULL; symbol = next) {
      next = symbol->next;
      link_in(symbols, symbol);
    }
  free((void *)old.buckets);
  return true;
}

bool spgc_jit_symbols_enter(struct jit_symbols *symbols, struct jit_symbol *symbol) {
  if (symbols->count == symbols->bucket_count && !grow(symbols))
    return false;
  symbol->hash = spgc_hash_bytes(symbol->name, strlen(symbol->name));
  symbol->is_listed = true;
  link_in(symbols, symbol);
  symbols->count++;
  return true;
}

bool spgc_jit_symbols_define(struct jit_symbols *symbols, const char *name, uintptr_t address) {
  struct jit_program_symbol *program = malloc(sizeof *program + strlen(name) + 1);
  if (program == NULL)
    return false;
  *program = (struct jit_program_symbol){
      .symbol = {.name = strcpy(program->name, name), .address = address}};
  if (spgc_jit_symbols_enter(symbols, &program->symbol))
    return true;
  free(program);
  return false;
}

void spgc_jit_symbols_hide(struct jit_symbols *symbols, struct jit_symbol *symbol) {
  if (!symbol->is_listed)
    return;
  struct jit_symbol **link = bucket_of(symbols, symbol->hash);
  while (*link != symbol)
    link = &(*link)->next;
  *link = symbol->next;
  symbol->is_listed = false;
  symbols->count--;
}

void spgc_jit_symbols_free(struct jit_symbols *symbols) {
  for (size_t i = 0; i < symbols->bucket_count; i++)
    for (struct jit_symbol *symbol = symbols->buckets[i], *next; symbol != NULL; symbol = next) {
      next = symbol->next;
      free(symbol);
    }
  free((void *)symbols->buckets);
  *symbols = (struct jit_symbols){0};
}

uintptr_t spgc_jit_symbol_of_process(const char *name) {
  return (uintptr_t)dlsym(RTLD_DEFAULT, name);
}
