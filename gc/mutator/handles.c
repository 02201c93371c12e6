#include "gc/mutator/handles.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gc/mutator/misuse.h"
#include "gc/mutator/mutator.h"
#include "gc/naming/placed_line.h"
#include "gc/state/runtime.h"
#include "support/fatal.h"
#include "support/min_max.h"

enum { MANY_CHUNKS = SPGC_HANDLE_CHUNK }; /* a million handles: a message is due */

/* Global handles, in use or free. A free slot's word is the next one's address, or 0, plus 1: no
 * reference, so all slots can be visited. Under SPGC_LOCK_HANDLES. */
static struct spgc_handle_stack globals;
static struct spgc_ref *first_free; /* or NULL */
static size_t globals_in_use;

struct spgc_scope spgc_scope_open(void) {
  struct spgc_scope scope = {spgc_caller()->handles.height};
  return scope;
}

static struct spgc_ref *slot_of(const struct spgc_handle_stack *stack, size_t index) {
  return &stack->chunks[index / SPGC_HANDLE_CHUNK]->slots[index % SPGC_HANDLE_CHUNK];
}

void spgc_scope_close(struct spgc_scope scope) {
  struct spgc_handle_stack *stack = &spgc_caller()->handles;
  spgc_require_use(scope.height <= stack->height,
                   "a scope at height %zu is closed, but the handle stack is only %zu high: the "
                   "scope, or one around it, was closed before",
                   scope.height, stack->height);
  if (spgc_runtime.options.poison)
    for (size_t i = scope.height; i < stack->height; i++)
      *slot_of(stack, i) = (struct spgc_ref){SPGC_HANDLE_POISON};
  stack->height = scope.height;
  if (stack->height >= stack->hook_height)
    return;
  /* The hook was left: the rest of its TLAB belongs to the reserve. */
  stack->hook_height = 0;
  spgc_tlab_drop(&spgc_mutator_self()->tlab);
}

/* `return_address` is in the code that made the last handle. */
static void tell_many(size_t count, const void *return_address) {
  struct spgc_placed_line line = {
      .has_place = true, .is_urgent = true, .loads_reader = true, .after = SPGC_HANG_ADVICE};
  if (spgc_runtime.options.hang_us == SPGC_HANG_OFF)
    return;
  spgc_code_find((uintptr_t)return_address - 1, &line.place);
  snprintf(line.before, sizeof line.before,
           "thread %" PRIu64 " has %zu scoped handles, so a scope may be open that should be "
           "closed. The last one was made by ",
           spgc_mutator_self()->number, count);
  spgc_placed_line_log(&line);
}

/* Adds a chunk. False if out of memory. */
static bool grow(struct spgc_handle_stack *stack) {
  size_t bytes = (stack->chunk_count + 1) * sizeof *stack->chunks;
  struct spgc_handle_chunk **chunks =
      (struct spgc_handle_chunk **)realloc((void *)stack->chunks, bytes);
  if (chunks == NULL)
    return false;
  stack->chunks = chunks;
  struct spgc_handle_chunk *chunk = aligned_alloc(SPGC_HANDLE_CHUNK_BYTES, sizeof *chunk);
  if (chunk == NULL)
    return false;
  memset(chunk, 0, sizeof *chunk);
  chunk->seal = stack == &globals ? SPGC_GLOBAL_CHUNK : 0;
  chunks[stack->chunk_count++] = chunk;
  return true;
}

static bool has_space(const struct spgc_handle_stack *stack) {
  return stack->height != stack->chunk_count * SPGC_HANDLE_CHUNK;
}

struct spgc_handle spgc_handle_make(struct spgc_ref ref) {
  struct spgc_handle_stack *stack = &spgc_caller()->handles;
  if (!has_space(stack)) {
    if (stack->chunk_count == MANY_CHUNKS)
      tell_many(stack->height, __builtin_return_address(0));
    spgc_require(grow(stack), "cannot allocate %zu scoped handles: out of memory",
                 stack->height + 1);
  }
  struct spgc_handle handle = {slot_of(stack, stack->height)};
  spgc_handle_set(handle, ref);
  stack->height++;
  return handle;
}

static void visit_chunk(struct spgc_handle_chunk *chunk, size_t count, enum spgc_visited visited,
                        spgc_root_visitor visit, void *context, const char *what) {
  if (visited == SPGC_CHANGED_ROOTS) {
    if (!chunk->written)
      return;
    chunk->written = 0;
  }
  for (size_t i = 0; i < count; i++)
    visit(context, (struct spgc_slot){&chunk->slots[i]}, what);
}

void spgc_handle_stack_visit(const struct spgc_handle_stack *stack, enum spgc_visited visited,
                             spgc_root_visitor visit, void *context) {
  const char *what = stack == &globals ? "global handle" : "scoped handle";
  for (size_t i = 0; i < stack->height; i += SPGC_HANDLE_CHUNK)
    visit_chunk(stack->chunks[i / SPGC_HANDLE_CHUNK],
                spgc_min(stack->height - i, SPGC_HANDLE_CHUNK), visited, visit, context, what);
}

void spgc_handle_stack_free(struct spgc_handle_stack *stack) {
  for (size_t i = 0; i < stack->chunk_count; i++) {
    __atomic_store_n(&stack->chunks[i]->seal, 0, __ATOMIC_RELAXED); /* not removed before free */
    free(stack->chunks[i]);
  }
  free((void *)stack->chunks);
}

static struct spgc_handle_chunk *chunk_of(const struct spgc_ref *slot) {
  return (struct spgc_handle_chunk *)((uintptr_t)slot & ~(uintptr_t)(SPGC_HANDLE_CHUNK_BYTES - 1));
}

static bool is_slot(const struct spgc_ref *slot) {
  size_t offset = (uintptr_t)slot % SPGC_HANDLE_CHUNK_BYTES;
  return offset >= offsetof(struct spgc_handle_chunk, slots) && offset % sizeof *slot == 0;
}

/* Returns whether it was in use. */
static bool exchange_use(struct spgc_ref *slot, bool is_used) {
  size_t index = (size_t)(slot - chunk_of(slot)->slots);
  uint64_t *word = &chunk_of(slot)->in_use[index / SPGC_HANDLE_WORD_BITS], before = *word,
           bit = UINT64_C(1) << index % SPGC_HANDLE_WORD_BITS;
  *word = is_used ? before | bit : before & ~bit;
  return (before & bit) != 0;
}

struct spgc_handle spgc_global_handle_make(struct spgc_ref ref) {
  SPGC_LOCKED(SPGC_LOCK_HANDLES);
  struct spgc_ref *slot = first_free;
  if (slot != NULL)
    first_free = (struct spgc_ref *)(slot->word - 1);
  else if (has_space(&globals) || grow(&globals))
    slot = slot_of(&globals, globals.height++);
  else
    return (struct spgc_handle){NULL};
  exchange_use(slot, true);
  globals_in_use++;
  spgc_handle_set((struct spgc_handle){slot}, ref);
  return (struct spgc_handle){slot};
}

void spgc_global_handle_release(struct spgc_handle handle) {
  SPGC_LOCKED(SPGC_LOCK_HANDLES);
  spgc_require_use(is_slot(handle.slot) && chunk_of(handle.slot)->seal == SPGC_GLOBAL_CHUNK,
                   "%p is not a global handle", (void *)handle.slot);
  spgc_require_use(exchange_use(handle.slot, false), "global handle %p was released already",
                   (void *)handle.slot);
  globals_in_use--;
  handle.slot->word = (uintptr_t)first_free + 1;
  first_free = handle.slot;
}

void spgc_global_handles_visit(enum spgc_visited visited, spgc_root_visitor visit, void *context) {
  SPGC_LOCKED(SPGC_LOCK_HANDLES);
  spgc_handle_stack_visit(&globals, visited, visit, context);
}

bool spgc_global_handles_exist(void) {
  SPGC_LOCKED(SPGC_LOCK_HANDLES);
  return globals_in_use != 0;
}

void spgc_global_handles_trim(void) {
  SPGC_LOCKED(SPGC_LOCK_HANDLES);
  if (globals_in_use != 0)
    return;
  spgc_handle_stack_free(&globals);
  globals = (struct spgc_handle_stack){0};
  first_free = NULL;
}
