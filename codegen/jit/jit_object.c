#include "codegen/jit/jit_object.h"

#include <stdlib.h>

#include "spgc/type.h"
#include "support/fatal.h"

/* ---- Which objects are bound to which ---- */

bool spgc_jit_object_bind(struct spgc_jit_object *object, struct jit_symbol *symbol) {
  struct spgc_jit_object *owner = symbol->owner;
  struct jit_use *use = malloc(sizeof *use);
  if (use == NULL)
    return false;
  *use = (struct jit_use){
      .user = object, .symbol = symbol, .next = object->uses, .next_user = owner->users};
  object->uses = use;
  if (owner->users != NULL)
    owner->users->previous_user = use;
  owner->users = use;
  symbol->users++;
  return true;
}

/* Lists a removed object, because somebody who was bound to it goes. */
static void note_unsettled(struct jit_memory *memory, struct spgc_jit_object *object) {
  if (object->state != JIT_REMOVED || object->is_unsettled)
    return;
  object->is_unsettled = true;
  object->next_unsettled = memory->unsettled;
  memory->unsettled = object;
}

static void unlink_use(struct jit_memory *memory, struct jit_use *use) {
  struct jit_symbol *symbol = use->symbol;
  if (use->previous_user != NULL)
    use->previous_user->next_user = use->next_user;
  else
    symbol->owner->users = use->next_user;
  if (use->next_user != NULL)
    use->next_user->previous_user = use->previous_user;
  if (--symbol->users == 0 && symbol->owner->state != JIT_LOADED)
    spgc_jit_symbols_hide(&memory->symbols, symbol);
  note_unsettled(memory, symbol->owner);
}

enum spgc_result spgc_jit_object_may_go(const struct spgc_jit_object *object,
                                        struct spgc_error *error) {
  for (const struct jit_use *use = object->users; use != NULL; use = use->next_user)
    if (!use->symbol->is_weak && use->user->state == JIT_LOADED)
      return spgc_error_set(error, SPGC_ERROR_STATE, 0,
                            "%s cannot be removed: %s uses its definition of %s, so remove that "
                            "object first",
                            object->name, use->user->name, use->symbol->name);
  return SPGC_OK;
}

/* ---- Freeing ---- */

/* Weak definitions that others are bound to stay, so that objects loaded later have the same. */
static void hide_symbols(struct jit_memory *memory, struct spgc_jit_object *object) {
  for (struct jit_symbol *symbol = object->symbols; symbol != NULL; symbol = symbol->sibling)
    if (!symbol->is_weak || symbol->users == 0)
      spgc_jit_symbols_hide(&memory->symbols, symbol);
}

static void free_symbols(struct jit_memory *memory, struct spgc_jit_object *object) {
  for (struct jit_symbol *symbol = object->symbols, *next; symbol != NULL; symbol = next) {
    next = symbol->sibling;
    spgc_jit_symbols_free_one(&memory->symbols, symbol);
  }
  object->symbols = NULL;
}

static void give_back(struct jit_memory *memory, struct spgc_jit_object *object,
                      enum jit_part part) {
  spgc_jit_arena_give_back(&memory->arena, jit_access_of(part), &object->spans[part]);
}

/* Withdraws the code from everybody who knows it, and frees it. */
static void free_code(struct jit_memory *memory, struct spgc_jit_object *object) {
  spgc_jit_gdb_remove(&object->gdb);
  spgc_jit_names_drop(&object->names);
  if (object->registered != NULL)
    spgc_module_unregister(object->registered);
  object->registered = NULL;
  spgc_jit_unwind_remove(&memory->unwind, &object->frames);
  if (object->spans[JIT_CODE].start != NULL)
    spgc_jit_patch_forget(&memory->patches, object->spans[JIT_CODE]);
  give_back(memory, object, JIT_CODE);
  give_back(memory, object, JIT_TABLES);
}

/* Frees an object without code. */
static void free_data(struct jit_memory *memory, struct spgc_jit_object *object) {
  give_back(memory, object, JIT_CONSTANTS);
  give_back(memory, object, JIT_DATA);
  for (struct jit_use *use = object->uses, *next; use != NULL; use = next) {
    next = use->next;
    unlink_use(memory, use);
    free(use);
  }
  free_symbols(memory, object);
  free((char *)(uintptr_t)object->name);
  free(object);
}

static size_t descriptor_bytes(const struct spgc_jit_object *object) {
  size_t constants = object->spans[JIT_CONSTANTS].size, data = object->spans[JIT_DATA].size;
  return (constants >= sizeof(struct spgc_type) ? constants : 0) +
         (data >= sizeof(struct spgc_type) ? data : 0);
}

/* A removed object without users loses its code, and its data if no descriptor can be there. */
static void settle(struct jit_memory *memory, struct spgc_jit_object *object) {
  if (object->state != JIT_REMOVED || object->users != NULL)
    return;
  free_code(memory, object);
  size_t bytes = descriptor_bytes(object);
  if (bytes == 0) {
    free_data(memory, object);
    return;
  }
  object->state = JIT_RETIRED;
  object->next = memory->retired;
  memory->retired = object;
  memory->retired_bytes += bytes;
  memory->retired_since += bytes;
}

static void settle_all(struct jit_memory *memory) {
  for (struct spgc_jit_object *object; (object = memory->unsettled) != NULL;) {
    memory->unsettled = object->next_unsettled;
    object->is_unsettled = false;
    settle(memory, object);
  }
}

void spgc_jit_object_remove(struct jit_memory *memory, struct spgc_jit_object *object) {
  spgc_address_tree_remove(&memory->loaded, &object->node);
  object->state = JIT_REMOVED;
  hide_symbols(memory, object);
  note_unsettled(memory, object);
  settle_all(memory);
}

void spgc_jit_object_forget(struct jit_memory *memory, struct spgc_jit_object *object) {
  memory->retired_bytes -= descriptor_bytes(object);
  free_data(memory, object);
  settle_all(memory);
}

void spgc_jit_object_abandon(struct jit_memory *memory, struct spgc_jit_object *object) {
  free_code(memory, object);
  free_data(memory, object);
  settle_all(memory);
}
