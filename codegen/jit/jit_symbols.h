/* The names that generated code may use: a hash table of the exports of loaded objects and the
 * names given to spgc_jit_define; other names are dynamic symbols of the process.
 *
 * Each use of one object's symbol by another is recorded, so that no definition goes before its
 * users. Read and written under the JIT's lock. */
#ifndef SPGC_CODEGEN_JIT_JIT_SYMBOLS_H
#define SPGC_CODEGEN_JIT_JIT_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spgc_jit_object;

struct jit_symbol {
  const char *name;
  uintptr_t address;
  struct spgc_jit_object *owner; /* NULL: not of an object */
  struct jit_symbol *next;       /* in the table */
  uint32_t hash;
  bool is_weak;   /* one of several objects' definitions serves all */
  bool is_listed; /* in the table */
};

struct jit_symbols {
  struct jit_symbol **buckets;
  size_t bucket_count, count;
};

/* That an object is bound to another one's weak definitions, or to its strong ones. */
struct jit_use {
  struct spgc_jit_object *user;
  const struct jit_symbol *symbol;
  struct jit_use *next;                      /* the user's next */
  struct jit_use *previous_user, *next_user; /* in the owner's list for this kind of definition */
};

struct jit_symbol *spgc_jit_symbols_find(const struct jit_symbols *symbols, const char *name);

/* The table must not have the name. False if there is no memory. */
bool spgc_jit_symbols_enter(struct jit_symbols *symbols, struct jit_symbol *symbol);

/* Adds a name of the program. False if there is no memory. */
bool spgc_jit_symbols_define(struct jit_symbols *symbols, const char *name, uintptr_t address);

/* Removes a symbol from the table, if it is there. Objects bound to it still use it. */
void spgc_jit_symbols_hide(struct jit_symbols *symbols, struct jit_symbol *symbol);

/* Frees the table, in which only the program's names are left. */
void spgc_jit_symbols_free(struct jit_symbols *symbols);

/* 0 if the process has no such dynamic symbol. */
uintptr_t spgc_jit_symbol_of_process(const char *name);

#endif
