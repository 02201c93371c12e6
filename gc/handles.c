#include "gc/handles.h"

#include <stdlib.h>

#include "gc/locks.h"
#include "gc/mutator.h"
#include "gc/out_of_memory.h"
#include "support/fatal.h"

/* A free slot holds the address of the next free slot, or null: no heap address, so that the collector may visit free
 * slots like others. All under SPGC_LOCK_HANDLES. */
struct global_chunk {
  struct global_chunk *next;
  struct spgc_ref slots[SPGC_HANDLE_CHUNK];
};

static struct global_chunk *global_chunks;
static struct spgc_ref *global_free;
static size_t global_in_use;

struct spgc_scope spgc_scope_open(void) {
  struct spgc_scope scope = {spgc_mutator_self()->handles.height};
  return scope;
}

void spgc_scope_close(struct spgc_scope scope) {
  struct spgc_handle_stack *stack = &spgc_mutator_self()->handles;
  spgc_require(scope.height <= stack->height, "a scope at height %zu is closed when the handle stack is %zu high",
               scope.height, stack->height);
  stack->height = scope.height;
  if (stack->height < stack->hook_height)
    spgc_out_of_memory_hook_left(stack);
}

static void grow_stack(struct spgc_handle_stack *stack) {
  size_t bytes = (stack->chunk_count + 1) * sizeof *stack->chunks;
  struct spgc_ref **chunks = (struct spgc_ref **)realloc((void *)stack->chunks, bytes);
  spgc_require(chunks != NULL, "no memory for %zu handles", stack->height + 1);
  stack->chunks = chunks;
  chunks[stack->chunk_count] = malloc(SPGC_HANDLE_CHUNK * sizeof *chunks[0]);
  spgc_require(chunks[stack->chunk_count] != NULL, "no memory for %zu handles", stack->height + 1);
  stack->chunk_count++;
}

struct spgc_handle spgc_handle_make(struct spgc_ref ref) {
  struct spgc_handle_stack *stack = &spgc_mutator_self()->handles;
  if (stack->height == stack->chunk_count * SPGC_HANDLE_CHUNK)
    grow_stack(stack);
  struct spgc_handle handle = {&stack->chunks[stack->height / SPGC_HANDLE_CHUNK][stack->height % SPGC_HANDLE_CHUNK]};
  *handle.slot = ref;
  stack->height++;
  return handle;
}

void spgc_handle_stack_visit(const struct spgc_handle_stack *stack, spgc_root_visitor visit, void *context) {
  for (size_t i = 0; i < stack->height; i++)
    visit(context, spgc_slot_at(&stack->chunks[i / SPGC_HANDLE_CHUNK][i % SPGC_HANDLE_CHUNK]), "scoped handle");
}

void spgc_handle_stack_free(struct spgc_handle_stack *stack) {
  for (size_t i = 0; i < stack->chunk_count; i++)
    free(stack->chunks[i]);
  free((void *)stack->chunks);
}

static bool grow_global(void) {
  struct global_chunk *chunk = malloc(sizeof *chunk);
  if (chunk == NULL)
    return false;
  chunk->next = global_chunks;
  global_chunks = chunk;
  for (size_t i = 0; i < SPGC_HANDLE_CHUNK; i++) {
    chunk->slots[i].word = (uintptr_t)global_free;
    global_free = &chunk->slots[i];
  }
  return true;
}

struct spgc_handle spgc_global_handle_make(struct spgc_ref ref) {
  struct spgc_handle handle = {NULL};
  spgc_lock(SPGC_LOCK_HANDLES);
  if (global_free != NULL || grow_global()) {
    handle.slot = global_free;
    global_free = (struct spgc_ref *)handle.slot->word;
    *handle.slot = ref;
    global_in_use++;
  }
  spgc_unlock(SPGC_LOCK_HANDLES);
  return handle;
}

void spgc_global_handle_release(struct spgc_handle handle) {
  spgc_lock(SPGC_LOCK_HANDLES);
  spgc_require(global_in_use != 0, "global handle %p is released twice", (void *)handle.slot);
  handle.slot->word = (uintptr_t)global_free;
  global_free = handle.slot;
  global_in_use--;
  spgc_unlock(SPGC_LOCK_HANDLES);
}

void spgc_global_handles_visit(spgc_root_visitor visit, void *context) {
  spgc_lock(SPGC_LOCK_HANDLES);
  for (struct global_chunk *chunk = global_chunks; chunk != NULL; chunk = chunk->next)
    for (size_t i = 0; i < SPGC_HANDLE_CHUNK; i++)
      visit(context, spgc_slot_at(&chunk->slots[i]), "global handle");
  spgc_unlock(SPGC_LOCK_HANDLES);
}

void spgc_global_handles_trim(void) {
  spgc_lock(SPGC_LOCK_HANDLES);
  while (global_in_use == 0 && global_chunks != NULL) {
    struct global_chunk *chunk = global_chunks;
    global_chunks = chunk->next;
    free(chunk);
  }
  if (global_chunks == NULL)
    global_free = NULL;
  spgc_unlock(SPGC_LOCK_HANDLES);
}
