#include "codegen/jit/jit_patch.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "codegen/ir/processor.h"
#include "support/fatal.h"

void spgc_jit_patch_open(struct jit_patches *patches, struct jit_arena *arena) {
  static const struct patch_code *const codes[] = {&spgc_patch_code_x86_64,
                                                   &spgc_patch_code_aarch64};
  *patches = (struct jit_patches){.arena = arena};
  for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
    if (codes[i]->elf_machine == spgc_processor_of_host()->elf_machine)
      patches->code = codes[i];
  spgc_require(patches->code != NULL, "no code of patched calls for this processor");
}

/* Makes a page of spare slots. */
static bool make_spares(struct jit_patches *patches) {
  struct jit_span span;
  if (!spgc_jit_arena_take(patches->arena, patches->arena->page, &span))
    return false;
  for (size_t i = 0; i < span.size / sizeof(uintptr_t); i++) {
    struct jit_patch *patch = calloc(1, sizeof *patch);
    spgc_require(patch != NULL, "out of memory");
    patch->slot = (_Atomic uintptr_t *)(uintptr_t)span.start + i;
    patch->next = patches->spare;
    patches->spare = patch;
  }
  return true;
}

/* The pages are not executable while they are written. */
static enum spgc_result write_call(struct jit_patches *patches, const struct jit_patch *patch,
                                   size_t bytes, struct spgc_error *error) {
  uint8_t *end = patches->arena->base + (patch->end - (uintptr_t)patches->arena->base),
          *start = end - bytes;
  size_t page = patches->arena->page;
  uint8_t *first = start - (uintptr_t)start % page;
  struct jit_span span = {first, ((size_t)(end - first) + page - 1) / page * page};
  if (!spgc_jit_arena_protect(span, JIT_WRITABLE))
    return spgc_error_set(error, SPGC_ERROR_SYSTEM, 0, "the system refuses to make code writable");
  patches->code->write_call(end, bytes, (uintptr_t)patch->slot);
  spgc_require(spgc_jit_arena_protect(span, JIT_EXECUTABLE),
               "code cannot be made executable again");
  return SPGC_OK;
}

static enum spgc_result add(struct jit_patches *patches, uintptr_t end, size_t bytes,
                            uintptr_t target, struct spgc_error *error) {
  uintptr_t base = (uintptr_t)patches->arena->base;
  size_t least = patches->code->call_bytes;
  if (bytes < least || end - base > patches->arena->size || end - base < bytes)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "a sled of %zu bytes that ends at 0x%" PRIxPTR
                          "; it takes %zu bytes, in loaded code",
                          bytes, end, least);
  if (!patches->code->is_sled(patches->arena->base + (end - base) - bytes, bytes))
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "the %zu bytes before 0x%" PRIxPTR " are not all nops", bytes, end);
  if (patches->spare == NULL && !make_spares(patches))
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "cannot allocate the slots of patched calls: out of memory");
  struct jit_patch *patch = patches->spare;
  spgc_require(patch != NULL, "a page without slots");
  patch->end = end;
  atomic_store(patch->slot, target);
  enum spgc_result result = write_call(patches, patch, bytes, error);
  if (result != SPGC_OK)
    return result;
  patches->spare = patch->next;
  patch->next = patches->live;
  patches->live = patch;
  return SPGC_OK;
}

enum spgc_result spgc_jit_patch_set(struct jit_patches *patches, uintptr_t end, size_t bytes,
                                    uintptr_t target, struct spgc_error *error) {
  for (const struct jit_patch *patch = patches->live; patch != NULL; patch = patch->next)
    if (patch->end == end) {
      atomic_store_explicit(patch->slot, target, memory_order_release);
      return SPGC_OK;
    }
  return add(patches, end, bytes, target, error);
}

/* A sled ends in the span, or at its end. */
void spgc_jit_patch_forget(struct jit_patches *patches, struct jit_span span) {
  for (struct jit_patch **link = &patches->live; *link != NULL;) {
    struct jit_patch *patch = *link;
    if (patch->end - 1 - (uintptr_t)span.start >= span.size) {
      link = &patch->next;
      continue;
    }
    *link = patch->next;
    patch->next = patches->spare;
    patches->spare = patch;
  }
}

static void free_list(struct jit_patch *list) {
  for (struct jit_patch *next; list != NULL; list = next) {
    next = list->next;
    free(list);
  }
}

void spgc_jit_patch_free(struct jit_patches *patches) {
  free_list(patches->live);
  free_list(patches->spare);
}
