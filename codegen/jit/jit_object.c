#include "codegen/jit/jit_object.h"

#include <llvm-c/Core.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/emit/object_file.h"
#include "codegen/jit/jit_names.h"
#include "spgc/jit.h"
#include "spgc/module.h"
#include "support/fatal.h"

/* Sections with the same protection share spans. */
struct jit_chunk {
  struct jit_span span;
  size_t used;
  /* Set after the relocations are applied; the chunk is writable before. */
  enum jit_protection protection;
  struct jit_chunk *next;
};

struct jit_section {
  uint8_t *start;
  size_t size;
};

struct jit_object {
  struct jit_memory *memory;
  struct jit_chunk *chunks;
  struct jit_section stackmaps, frames, record;
  struct spgc_module *registered; /* the stack maps registered with the runtime; NULL before
                                     finalisation, and without statepoints */
  bool unwindable;
  struct jit_names names;
};

static void *create_object(void *context) {
  struct jit_object *object = calloc(1, sizeof *object);
  spgc_require(object != NULL, "out of memory");
  object->memory = context;
  return object;
}

static uint8_t *take_from_chunk(struct jit_chunk *chunk, size_t size, size_t alignment) {
  size_t start = (chunk->used + alignment - 1) & ~(alignment - 1);
  if (start > chunk->span.size || chunk->span.size - start < size)
    return NULL;
  chunk->used = start + size;
  return chunk->span.start + start;
}

/* Returns NULL to make the loader fail. */
static uint8_t *take_memory(struct jit_object *object, size_t size, size_t alignment,
                            enum jit_protection protection) {
  if (alignment > object->memory->arena.page)
    return NULL;
  for (struct jit_chunk *chunk = object->chunks; chunk != NULL; chunk = chunk->next) {
    uint8_t *start =
        chunk->protection == protection ? take_from_chunk(chunk, size, alignment) : NULL;
    if (start != NULL)
      return start;
  }
  struct jit_chunk *chunk = calloc(1, sizeof *chunk);
  if (chunk == NULL || !spgc_jit_arena_take(&object->memory->arena, size, &chunk->span)) {
    free(chunk);
    return NULL;
  }
  chunk->protection = protection;
  chunk->next = object->chunks;
  object->chunks = chunk;
  return take_from_chunk(chunk, size, alignment);
}

static uint8_t *take_code(void *context, uintptr_t size, unsigned alignment, unsigned id,
                          const char *name) {
  struct jit_object *object = context;
  const struct jit_memory *memory = object->memory;
  uint8_t *start = take_memory(object, size, alignment == 0 ? 1 : alignment, JIT_EXECUTABLE);
  if (start != NULL && memory->image != NULL)
    spgc_jit_names_collect_functions(&object->names, memory->image, memory->image_size, name,
                                     (uintptr_t)start);
  return start;
}

/* The loader asks for more than the section has, for stubs of far calls: on AArch64 behind every
 * section that has relocations. */
static struct jit_section without_stubs(const struct jit_memory *memory, uint8_t *start,
                                        size_t size, const char *name) {
  size_t bytes = memory->image != NULL
                     ? spgc_object_file_section_bytes(memory->image, memory->image_size, name)
                     : size;
  return (struct jit_section){start, bytes < size ? bytes : size};
}

static uint8_t *take_data(void *context, uintptr_t size, unsigned alignment, unsigned id,
                          const char *name, LLVMBool read_only) {
  struct jit_object *object = context;
  const struct jit_memory *memory = object->memory;
  enum jit_protection protection = read_only ? JIT_READ_ONLY : JIT_WRITABLE;
  uint8_t *start = take_memory(object, size, alignment == 0 ? 1 : alignment, protection);
  struct jit_section section = without_stubs(memory, start, size, name);
  if (start != NULL && !read_only && memory->image != NULL)
    spgc_jit_names_collect_variables(&object->names, memory->image, memory->image_size, name,
                                     (uintptr_t)start);
  if (strcmp(name, ".llvm_stackmaps") == 0 || strcmp(name, ".spgc_stackmaps") == 0)
    object->stackmaps = section;
  else if (strcmp(name, ".eh_frame") == 0)
    object->frames = section;
  else if (strcmp(name, "spgc_modules") == 0)
    object->record = section;
  return start;
}

static enum spgc_result register_module(struct jit_object *object, struct spgc_error *error) {
  if (object->record.start == NULL) {
    if (object->stackmaps.start != NULL)
      return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0,
                            "the object has a stack map and was not lowered by spgc");
    return SPGC_OK;
  }
  struct spgc_module *module = (struct spgc_module *)(uintptr_t)object->record.start;
  bool is_foreign = object->record.size >= sizeof module->version &&
                    module->version != SPGC_MODULE_VERSION; /* which registration tells */
  if (!is_foreign && object->record.size != sizeof *module)
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0,
                          "the object's module record has %zu bytes", object->record.size);
  enum spgc_result result = spgc_module_register(module, object->stackmaps.size, error);
  object->registered = result == SPGC_OK ? module : NULL;
  return result;
}

static enum spgc_result register_frames(struct jit_object *object, struct spgc_error *error) {
  if (object->frames.start == NULL)
    return SPGC_OK;
  enum spgc_result result = spgc_jit_unwind_add(&object->memory->unwind, object->frames.start,
                                                object->frames.size, error);
  object->unwindable = result == SPGC_OK;
  return result;
}

static enum spgc_result protect(struct jit_object *object, struct spgc_error *error) {
  for (struct jit_chunk *chunk = object->chunks; chunk != NULL; chunk = chunk->next)
    if (!spgc_jit_arena_protect(chunk->span, chunk->protection))
      return spgc_error_set(error, SPGC_ERROR_SYSTEM, 0, "the system refuses executable memory");
  return SPGC_OK;
}

/* The loader calls it when relocations have been applied and no code has run. If it fails,
 * destroy_object follows, and undoes the registrations made before. Of an error, the loader hands
 * on the text alone. */
static LLVMBool finalise_object(void *context, char **message) {
  struct jit_object *object = context;
  struct spgc_error error;
  enum spgc_result result = register_frames(object, &error);
  if (result == SPGC_OK)
    result = register_module(object, &error);
  if (result == SPGC_OK)
    result = protect(object, &error);
  if (result == SPGC_OK) {
    spgc_jit_names_publish(&object->names);
    return false;
  }
  *message = LLVMCreateMessage(error.message);
  object->memory->refusal = error;
  return true;
}

static void retire(struct jit_memory *memory, struct jit_span span) {
  struct jit_retired *retired = malloc(sizeof *retired);
  spgc_require(retired != NULL, "out of memory");
  *retired = (struct jit_retired){span, ++memory->retired_count, memory->retired};
  memory->retired = retired;
}

void spgc_jit_memory_free_retired(struct jit_memory *memory, uint64_t number) {
  struct jit_retired **link = &memory->retired, *found;
  while (*link != NULL && (*link)->number != number)
    link = &(*link)->next;
  found = *link;
  if (found == NULL)
    return;
  *link = found->next;
  spgc_jit_arena_give_back(&memory->arena, found->span);
  free(found);
}

static void destroy_object(void *context) {
  struct jit_object *object = context;
  spgc_jit_names_drop(&object->names);
  if (object->registered != NULL)
    spgc_module_unregister(object->registered);
  if (object->unwindable)
    spgc_jit_unwind_remove(&object->memory->unwind, object->frames.start, object->frames.size);
  for (struct jit_chunk *chunk = object->chunks, *next; chunk != NULL; chunk = next) {
    next = chunk->next;
    spgc_jit_patch_forget(&object->memory->patches, chunk->span);
    if (chunk->protection == JIT_EXECUTABLE)
      spgc_jit_arena_give_back(&object->memory->arena, chunk->span);
    else
      retire(object->memory, chunk->span);
    free(chunk);
  }
  free(object);
}

static void notify_terminating(void *context) {
}

static enum spgc_result add_listener(LLVMOrcObjectLayerRef layer, LLVMJITEventListenerRef listener,
                                     const char *name, struct spgc_error *error) {
  if (listener == NULL)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                          "this LLVM cannot inform %s about generated code", name);
  LLVMOrcRTDyldObjectLinkingLayerRegisterJITEventListener(layer, listener);
  return SPGC_OK;
}

enum spgc_result spgc_jit_object_layer_listen(LLVMOrcObjectLayerRef layer, unsigned listeners,
                                              struct spgc_error *error) {
  enum spgc_result result = SPGC_OK;
  if (listeners & SPGC_JIT_GDB)
    result = add_listener(layer, LLVMCreateGDBRegistrationListener(), "gdb", error);
  if (result == SPGC_OK && (listeners & SPGC_JIT_PERF))
    result = add_listener(layer, LLVMCreatePerfJITEventListener(), "perf", error);
  return result;
}

LLVMOrcObjectLayerRef spgc_jit_object_layer_create(struct jit_memory *memory,
                                                   LLVMOrcExecutionSessionRef session) {
  return LLVMOrcCreateRTDyldObjectLinkingLayerWithMCJITMemoryManagerLikeCallbacks(
      session, memory, create_object, notify_terminating, take_code, take_data, finalise_object,
      destroy_object);
}
