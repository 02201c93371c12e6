/* A loaded object: its memory, its definitions, and the objects that it is bound to.
 *
 *   loaded     until spgc_jit_remove
 *   removed    its strong definitions are gone; the rest stays while others are bound to it
 *   retired    its code is gone; its data may have type descriptors of objects in the heap
 *
 * An object keeps its bindings as long as its data, because its descriptors need names and tables.
 * Objects are bound only to earlier ones, so there are no cycles. Under the JIT's lock. */
#ifndef SPGC_CODEGEN_JIT_JIT_OBJECT_H
#define SPGC_CODEGEN_JIT_JIT_OBJECT_H

#include "codegen/jit/jit_gdb.h"
#include "codegen/jit/jit_image.h"
#include "codegen/jit/jit_names.h"
#include "codegen/jit/jit_patch.h"
#include "codegen/jit/jit_perf.h"
#include "codegen/jit/jit_symbols.h"
#include "codegen/jit/jit_unwind.h"
#include "spgc/module.h"

enum jit_state { JIT_LOADED, JIT_REMOVED, JIT_RETIRED };

struct spgc_jit_object {
  struct spgc_jit_object *next; /* among the loaded, the unsettled, or the retired objects */
  struct jit_span spans[JIT_SPANS];
  struct jit_use *uses; /* what it is bound to */
  struct jit_use *weak_users, *strong_users;
  struct spgc_module *registered; /* NULL: no record, or not registered */
  struct jit_gdb_object gdb;
  uint32_t frames; /* its registered unwind information's offset in the arena, or 0 */
  uint32_t export_count;
  enum jit_state state : 8;
  bool is_unsettled; /* removed, and to be examined again */
  struct jit_symbol exports[];
  /* Followed by its own name, for messages, and those of its exports, functions and variables. */
};

static inline char *jit_object_name(const struct spgc_jit_object *object) {
  return (char *)(uintptr_t)(object->exports + object->export_count);
}

/* A hash table, because a program may give any address. */
struct jit_objects {
  struct spgc_jit_object **buckets;
  size_t bucket_count, count;
};

struct jit_memory {
  struct jit_arena arena;
  struct jit_unwind unwind;
  struct jit_names names;
  struct jit_patches patches;
  struct jit_symbols symbols;
  struct jit_links links;
  struct jit_perf perf;
  struct jit_objects loaded;
  struct spgc_jit_object *retired, *unsettled;
  size_t retired_bytes; /* data with descriptors */
  size_t retired_since; /* added since the heap was last asked */
  bool tells_gdb;
};

bool spgc_jit_objects_open(struct jit_objects *objects);
void spgc_jit_objects_close(struct jit_objects *objects);
void spgc_jit_objects_enter(struct jit_objects *objects, struct spgc_jit_object *object);
bool spgc_jit_objects_have(const struct jit_objects *objects, const struct spgc_jit_object *object);

/* On error nothing is left. `object` is JIT_LOADED, but not in a list yet. */
enum spgc_result spgc_jit_object_load(struct jit_memory *memory, struct jit_image *image,
                                      struct spgc_jit_object **object, struct spgc_error *error);

/* The symbol's owner is another object. False if there is no memory. */
bool spgc_jit_object_bind(struct spgc_jit_object *object, const struct jit_symbol *symbol);

/* SPGC_ERROR_STATE if a loaded object uses a strong definition. */
enum spgc_result spgc_jit_object_may_go(const struct spgc_jit_object *object,
                                        struct spgc_error *error);

/* Also frees removed objects without users. */
void spgc_jit_object_remove(struct jit_memory *memory, struct spgc_jit_object *object);

/* Retired, and unused by the heap. */
void spgc_jit_object_forget(struct jit_memory *memory, struct spgc_jit_object *object);

void spgc_jit_object_abandon(struct jit_memory *memory, struct spgc_jit_object *object);

#endif
