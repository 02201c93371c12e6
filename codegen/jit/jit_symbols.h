/* The names that generated code may use: a hash table of what loaded objects define and export, and
 * of what spgc_jit_define names; other names are dynamic symbols of the process.
 *
 * Each use of an object's symbol by another object is recorded, so that nobody's definition goes
 * before its users. Read and written under the JIT's lock.
 */
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
  bool is_weak;   /* of several objects that define it, one defines it for all */
  bool is_listed; /* in the table */
};

struct jit_symbols {
  struct jit_symbol **buckets;
  size_t bucket_count, count;
};

/* An object is bound to another one's weak definitions, or to its strong ones. */
struct jit_use {
  struct spgc_jit_object *user;
  const struct jit_symbol *symbol;           /* one of them */
  struct jit_use *next;                      /* the user's next */
  struct jit_use *previous_user, *next_user; /* in the owner's list of uses of this kind */
};

/* NULL if the table does not have the name. */
struct jit_symbol *spgc_jit_symbols_find(const struct jit_symbols *symbols, const char *name);

/* Enters a symbol, whose name the table does not have. False if there is no memory. */
bool spgc_jit_symbols_enter(struct jit_symbols *symbols, struct jit_symbol *symbol);

/* Enters a name of the program. False if there is no memory. */
bool spgc_jit_symbols_define(struct jit_symbols *symbols, const char *name, uintptr_t address);

/* Takes a symbol out of the table, if it is there. It stays for those who are bound to it. */
void spgc_jit_symbols_hide(struct jit_symbols *symbols, struct jit_symbol *symbol);

/* Frees the table, in which only the program's names are left. */
void spgc_jit_symbols_free(struct jit_symbols *symbols);

/* The address of a dynamic symbol of the process; 0 if there is none. */
uintptr_t spgc_jit_symbol_of_process(const char *name);

#endif
