#include "codegen/jit/jit_object.h"

#include <stdlib.h>

#include "spgc/type.h"
#include "support/fatal.h"
#include "support/hash_index.h"

enum { FIRST_BUCKETS = 256 };

bool spgc_jit_objects_open(struct jit_objects *objects) {
  *objects = (struct jit_objects){
      .buckets = (struct spgc_jit_object **)calloc(FIRST_BUCKETS, sizeof *objects->buckets),
      .bucket_count = FIRST_BUCKETS};
  return objects->buckets != NULL;
}

void spgc_jit_objects_close(struct jit_objects *objects) {
  free((void *)objects->buckets);
}

static struct spgc_jit_object **place_of(const struct jit_objects *objects,
                                         const struct spgc_jit_object *object) {
  struct spgc_jit_object **place =
      &objects->buckets[spgc_hash_word((uintptr_t)object) & (objects->bucket_count - 1)];
  while (*place != NULL && *place != object)
    place = &(*place)->next;
  return place;
}

bool spgc_jit_objects_have(const struct jit_objects *objects,
                           const struct spgc_jit_object *object) {
  return *place_of(objects, object) != NULL;
}

static void append(struct jit_objects *objects, struct spgc_jit_object *object) {
  object->next = NULL;
  *place_of(objects, object) = object;
}

/* Without memory, lists grow. */
static void double_buckets(struct jit_objects *objects) {
  struct jit_objects old = *objects;
  objects->bucket_count *= 2;
  objects->buckets =
      (struct spgc_jit_object **)calloc(objects->bucket_count, sizeof *objects->buckets);
  if (objects->buckets == NULL) {
    *objects = old;
    return;
  }
  for (size_t i = 0; i < old.bucket_count; i++)
    for (struct spgc_jit_object *one = old.buckets[i], *next; one != NULL; one = next) {
      next = one->next;
      append(objects, one);
    }
  free((void *)old.buckets);
}

void spgc_jit_objects_enter(struct jit_objects *objects, struct spgc_jit_object *object) {
  if (objects->count == objects->bucket_count)
    double_buckets(objects);
  append(objects, object);
  objects->count++;
}

static void take_out(struct jit_objects *objects, const struct spgc_jit_object *object) {
  *place_of(objects, object) = object->next;
  objects->count--;
}

static struct jit_use **users_of(const struct jit_symbol *symbol) {
  return symbol->is_weak ? &symbol->owner->weak_users : &symbol->owner->strong_users;
}

/* One that is being loaded comes first in the lists of those that it is bound to. */
bool spgc_jit_object_bind(struct spgc_jit_object *object, const struct jit_symbol *symbol) {
  struct jit_use **users = users_of(symbol);
  if (*users != NULL && (*users)->user == object)
    return true;
  struct jit_use *use = malloc(sizeof *use);
  if (use == NULL)
    return false;
  *use =
      (struct jit_use){.user = object, .symbol = symbol, .next = object->uses, .next_user = *users};
  object->uses = use;
  if (*users != NULL)
    (*users)->previous_user = use;
  *users = use;
  return true;
}

static void note_unsettled(struct jit_memory *memory, struct spgc_jit_object *object) {
  if (object->state != JIT_REMOVED || object->is_unsettled)
    return;
  object->is_unsettled = true;
  object->next = memory->unsettled;
  memory->unsettled = object;
}

static void unlink_use(struct jit_memory *memory, struct jit_use *use) {
  if (use->previous_user != NULL)
    use->previous_user->next_user = use->next_user;
  else
    *users_of(use->symbol) = use->next_user;
  if (use->next_user != NULL)
    use->next_user->previous_user = use->previous_user;
  note_unsettled(memory, use->symbol->owner);
}

enum spgc_result spgc_jit_object_may_go(const struct spgc_jit_object *object,
                                        struct spgc_error *error) {
  for (const struct jit_use *use = object->strong_users; use != NULL; use = use->next_user)
    if (use->user->state == JIT_LOADED)
      return spgc_error_set(error, SPGC_ERROR_STATE, 0,
                            "%s cannot be removed: %s uses its definition of %s, so remove that "
                            "object first",
                            jit_object_name(object), jit_object_name(use->user), use->symbol->name);
  return SPGC_OK;
}

/* Weak definitions stay while others use them, so that objects loaded later use the same ones. */
static void hide_exports(struct jit_memory *memory, struct spgc_jit_object *object) {
  for (size_t i = 0; i < object->export_count; i++)
    if (!object->exports[i].is_weak || object->weak_users == NULL)
      spgc_jit_symbols_hide(&memory->symbols, &object->exports[i]);
}

static void give_back(struct jit_memory *memory, struct spgc_jit_object *object,
                      enum jit_part part) {
  spgc_jit_arena_give_back(&memory->arena, jit_access_of(part), &object->spans[part]);
}

static void free_code(struct jit_memory *memory, struct spgc_jit_object *object) {
  spgc_jit_gdb_remove(&object->gdb);
  spgc_jit_names_withdraw(&memory->names, object->spans[JIT_CODE], object->spans[JIT_DATA]);
  if (object->registered != NULL)
    spgc_module_unregister(object->registered);
  object->registered = NULL;
  if (object->frames != 0)
    spgc_jit_unwind_remove(&memory->unwind, memory->arena.base + object->frames,
                           object->spans[JIT_CODE]);
  object->frames = 0;
  if (object->spans[JIT_CODE].size != 0)
    spgc_jit_patch_forget(&memory->patches, object->spans[JIT_CODE]);
  give_back(memory, object, JIT_CODE);
  give_back(memory, object, JIT_TABLES);
}

/* The object must have no code and no exports. */
static void free_data(struct jit_memory *memory, struct spgc_jit_object *object) {
  give_back(memory, object, JIT_CONSTANTS);
  give_back(memory, object, JIT_DATA);
  for (struct jit_use *use = object->uses, *next; use != NULL; use = next) {
    next = use->next;
    unlink_use(memory, use);
    free(use);
  }
  free(object);
}

static size_t descriptor_bytes(const struct spgc_jit_object *object) {
  size_t constants = object->spans[JIT_CONSTANTS].size, data = object->spans[JIT_DATA].size;
  return (constants >= sizeof(struct spgc_type) ? constants : 0) +
         (data >= sizeof(struct spgc_type) ? data : 0);
}

/* Without users, it loses its code, and its data if that cannot contain descriptors. */
static void settle(struct jit_memory *memory, struct spgc_jit_object *object) {
  if (object->state != JIT_REMOVED || object->weak_users != NULL || object->strong_users != NULL)
    return;
  hide_exports(memory, object);
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
    memory->unsettled = object->next;
    object->is_unsettled = false;
    settle(memory, object);
  }
}

void spgc_jit_object_remove(struct jit_memory *memory, struct spgc_jit_object *object) {
  take_out(&memory->loaded, object);
  object->state = JIT_REMOVED;
  hide_exports(memory, object);
  note_unsettled(memory, object);
  settle_all(memory);
}

void spgc_jit_object_forget(struct jit_memory *memory, struct spgc_jit_object *object) {
  memory->retired_bytes -= descriptor_bytes(object);
  free_data(memory, object);
  settle_all(memory);
}

void spgc_jit_object_abandon(struct jit_memory *memory, struct spgc_jit_object *object) {
  hide_exports(memory, object);
  free_code(memory, object);
  free_data(memory, object);
  settle_all(memory);
}
