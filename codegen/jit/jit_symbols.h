/* Exports of loaded objects and names given to spgc_jit_define; others are dynamic symbols of the
 * process.
 *
 * Uses are recorded, so that no definition goes before its users. Under the JIT's lock. */
#ifndef SPGC_CODEGEN_JIT_JIT_SYMBOLS_H
#define SPGC_CODEGEN_JIT_JIT_SYMBOLS_H

#include "codegen/jit/jit_link.h"

struct spgc_jit_object;

struct jit_symbol {
  const char *name;
  uintptr_t address;
  struct spgc_jit_object *owner; /* NULL: the program */
  struct jit_symbol *next;
  uint32_t hash;
  bool is_weak; /* one of several objects' definitions serves all */
  bool is_listed;
};

struct jit_program_symbol {
  struct jit_symbol symbol;
  struct jit_link link;
  char name[];
};

struct jit_symbols {
  struct jit_symbol **buckets;
  size_t bucket_count, count;
};

struct jit_use {
  struct spgc_jit_object *user;
  const struct jit_symbol *symbol;
  struct jit_use *next; /* the user's next use */
  struct jit_use *previous_user, *next_user;
};

struct jit_symbol *spgc_jit_symbols_find(const struct jit_symbols *symbols, const char *name);

/* The name must be new. False if there is no memory. */
bool spgc_jit_symbols_enter(struct jit_symbols *symbols, struct jit_symbol *symbol);

bool spgc_jit_symbols_define(struct jit_symbols *symbols, const char *name, uintptr_t address);

/* Objects bound to the symbol still use it. */
void spgc_jit_symbols_hide(struct jit_symbols *symbols, struct jit_symbol *symbol);

/* Only the program's names may be left. */
void spgc_jit_symbols_free(struct jit_symbols *symbols);

/* 0 if the process has no such dynamic symbol. */
uintptr_t spgc_jit_symbol_of_process(const char *name);

#endif
