#include "gc/mutator/handles.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gc/mutator/misuse.h"
#include "gc/mutator/mutator.h"
#include "gc/naming/placed_line.h"
#include "gc/state/runtime.h"
#include "support/address_tree.h"
#include "support/fatal.h"
#include "support/min_max.h"

enum { MANY_CHUNKS = 1024 }; /* a million: a message is due */
enum { WORD_BITS = 64, CHUNK_WORDS = (SPGC_HANDLE_CHUNK + WORD_BITS - 1) / WORD_BITS };

/* Invariant: slot i is in use iff its bit is set; a free slot holds null, so that all slots can be
 * visited. Guarded by SPGC_LOCK_HANDLES. */
struct global_chunk {
  struct address_node node;              /* its key is the handles' address */
  struct global_chunk *next, *next_free; /* of all chunks; of those with free slots */
  uint32_t used;
  uint32_t first_word;          /* no earlier word has a clear bit */
  uint64_t in_use[CHUNK_WORDS]; /* bits of missing slots are set */
  struct spgc_handle_chunk *handles;
};

static struct address_edit global_addresses;
static struct global_chunk *global_chunks, *global_free;

struct spgc_scope spgc_scope_open(void) {
  struct spgc_scope scope = {spgc_caller()->handles.height};
  return scope;
}

static struct spgc_handle_chunk *make_chunk(void) {
  struct spgc_handle_chunk *chunk = aligned_alloc(SPGC_HANDLE_CHUNK_BYTES, sizeof *chunk);
  if (chunk != NULL)
    memset(chunk, 0, sizeof *chunk);
  return chunk;
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

static void grow_stack(struct spgc_handle_stack *stack, void *return_address) {
  if (stack->chunk_count == MANY_CHUNKS)
    tell_many(stack->height, return_address);
  size_t bytes = (stack->chunk_count + 1) * sizeof *stack->chunks;
  struct spgc_handle_chunk **chunks =
      (struct spgc_handle_chunk **)realloc((void *)stack->chunks, bytes);
  struct spgc_handle_chunk *chunk = make_chunk();
  spgc_require(chunks != NULL && chunk != NULL, "cannot allocate %zu scoped handles: out of memory",
               stack->height + 1);
  stack->chunks = chunks;
  chunks[stack->chunk_count++] = chunk;
}

struct spgc_handle spgc_handle_make(struct spgc_ref ref) {
  struct spgc_handle_stack *stack = &spgc_caller()->handles;
  if (stack->height == stack->chunk_count * SPGC_HANDLE_CHUNK)
    grow_stack(stack, __builtin_return_address(0));
  struct spgc_handle handle = {slot_of(stack, stack->height)};
  spgc_handle_set(handle, ref);
  stack->height++;
  return handle;
}

static void check_unwritten(const struct spgc_ref *slots, size_t count, const char *what) {
  const struct spgc_heap *heap = &spgc_runtime.heap;
  for (size_t i = 0; i < count; i++)
    spgc_require_use(
        !spgc_heap_contains(heap, slots[i].word) ||
            spgc_space_is_old(spgc_heap_space(heap, spgc_heap_block_of(heap, slots[i].word))),
        "the %s at %p refers to a new object, %p, but spgc_handle_set has not written "
        "it since the last collection",
        what, (const void *)&slots[i], (void *)slots[i].word);
}

static void visit_chunk(struct spgc_handle_chunk *chunk, size_t count, enum spgc_visited visited,
                        spgc_root_visitor visit, void *context, const char *what) {
  if (visited == SPGC_CHANGED_ROOTS && !chunk->written) {
    if (spgc_runtime.options.verify == SPGC_VERIFY_FULL)
      check_unwritten(chunk->slots, count, what);
    return;
  }
  if (visited == SPGC_CHANGED_ROOTS)
    chunk->written = 0;
  for (size_t i = 0; i < count; i++)
    visit(context, (struct spgc_slot){&chunk->slots[i]}, what);
}

void spgc_handle_stack_visit(const struct spgc_handle_stack *stack, enum spgc_visited visited,
                             spgc_root_visitor visit, void *context) {
  for (size_t i = 0; i < stack->height; i += SPGC_HANDLE_CHUNK)
    visit_chunk(stack->chunks[i / SPGC_HANDLE_CHUNK],
                spgc_min(stack->height - i, SPGC_HANDLE_CHUNK), visited, visit, context,
                "scoped handle");
}

void spgc_handle_stack_free(struct spgc_handle_stack *stack) {
  for (size_t i = 0; i < stack->chunk_count; i++)
    free(stack->chunks[i]);
  free((void *)stack->chunks);
}

static bool grow_global(void) {
  struct global_chunk *chunk = calloc(1, sizeof *chunk);
  struct spgc_handle_chunk *handles = make_chunk();
  if (chunk == NULL || handles == NULL) {
    free(chunk);
    free(handles);
    return false;
  }
  *chunk = (struct global_chunk){
      .node = {.key = (uintptr_t)handles}, .next = global_chunks, .handles = handles};
  chunk->in_use[CHUNK_WORDS - 1] = ~(UINT64_MAX >> (CHUNK_WORDS * WORD_BITS - SPGC_HANDLE_CHUNK));
  spgc_address_tree_insert(&global_addresses, &chunk->node);
  global_chunks = global_free = chunk;
  return true;
}

static struct spgc_ref *take_slot(struct global_chunk *chunk) {
  unsigned word = chunk->first_word;
  while (chunk->in_use[word] == UINT64_MAX)
    word++;
  chunk->first_word = word;
  unsigned bit = (unsigned)__builtin_ctzll(~chunk->in_use[word]);
  chunk->in_use[word] |= UINT64_C(1) << bit;
  if (++chunk->used == SPGC_HANDLE_CHUNK)
    global_free = chunk->next_free;
  return &chunk->handles->slots[word * WORD_BITS + bit];
}

struct spgc_handle spgc_global_handle_make(struct spgc_ref ref) {
  SPGC_LOCKED(SPGC_LOCK_HANDLES);
  if (global_free == NULL && !grow_global())
    return (struct spgc_handle){NULL};
  struct spgc_handle handle = {take_slot(global_free)};
  spgc_handle_set(handle, ref);
  return handle;
}

static struct global_chunk *chunk_of(const struct spgc_ref *slot) {
  uintptr_t offset = (uintptr_t)slot % SPGC_HANDLE_CHUNK_BYTES;
  struct address_node *found =
      spgc_address_tree_find(global_addresses.root, (uintptr_t)slot - offset, 0);
  bool is_slot = offset >= offsetof(struct spgc_handle_chunk, slots) && offset % sizeof *slot == 0;
  return is_slot ? (struct global_chunk *)found : NULL;
}

void spgc_global_handle_release(struct spgc_handle handle) {
  SPGC_LOCKED(SPGC_LOCK_HANDLES);
  struct global_chunk *chunk = chunk_of(handle.slot);
  spgc_require_use(chunk != NULL, "%p is not a global handle", (void *)handle.slot);
  size_t index = (size_t)(handle.slot - chunk->handles->slots);
  uint64_t bit = UINT64_C(1) << index % WORD_BITS;
  spgc_require_use((chunk->in_use[index / WORD_BITS] & bit) != 0,
                   "global handle %p was released already", (void *)handle.slot);
  chunk->in_use[index / WORD_BITS] &= ~bit;
  if (index / WORD_BITS < chunk->first_word)
    chunk->first_word = (uint32_t)(index / WORD_BITS);
  *handle.slot = spgc_ref_null();
  if (chunk->used-- == SPGC_HANDLE_CHUNK) {
    chunk->next_free = global_free;
    global_free = chunk;
  }
}

void spgc_global_handles_visit(enum spgc_visited visited, spgc_root_visitor visit, void *context) {
  SPGC_LOCKED(SPGC_LOCK_HANDLES);
  for (struct global_chunk *chunk = global_chunks; chunk != NULL; chunk = chunk->next)
    visit_chunk(chunk->handles, SPGC_HANDLE_CHUNK, visited, visit, context, "global handle");
}

static bool any_in_use(void) {
  const struct global_chunk *chunk = global_chunks;
  while (chunk != NULL && chunk->used == 0)
    chunk = chunk->next;
  return chunk != NULL;
}

bool spgc_global_handles_exist(void) {
  SPGC_LOCKED(SPGC_LOCK_HANDLES);
  return any_in_use();
}

void spgc_global_handles_trim(void) {
  SPGC_LOCKED(SPGC_LOCK_HANDLES);
  if (any_in_use())
    return;
  for (struct global_chunk *chunk; (chunk = global_chunks) != NULL;) {
    global_chunks = chunk->next;
    free(chunk->handles);
    free(chunk);
  }
  global_free = NULL;
  global_addresses.root = NULL;
}
