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

/* The page is never returned. */
static bool make_spares(struct jit_patches *patches) {
  size_t count = patches->arena->page / sizeof(uintptr_t);
  struct jit_patch_page *page = calloc(1, sizeof *page + count * sizeof *page->patches);
  struct jit_span span;
  if (page == NULL || !spgc_jit_arena_take(patches->arena, JIT_WRITABLE, patches->arena->page,
                                           sizeof(uintptr_t), &span)) {
    free(page);
    return false;
  }
  page->next = patches->pages;
  patches->pages = page;
  for (size_t i = 0; i < count; i++) {
    page->patches[i].slot = (_Atomic uintptr_t *)(void *)jit_span_start(patches->arena, span) + i;
    page->patches[i].next = patches->spare;
    patches->spare = &page->patches[i];
  }
  return true;
}

static enum spgc_result write_call(struct jit_patches *patches, uintptr_t end, size_t bytes,
                                   uintptr_t slot, struct spgc_error *error) {
  uint8_t *code = malloc(bytes);
  if (code == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "cannot patch a call: out of memory");
  patches->code->write_call(code + bytes, bytes, end, slot);
  uint8_t *to = patches->arena->base + (end - (uintptr_t)patches->arena->base) - bytes;
  enum spgc_result result =
      spgc_jit_arena_write(patches->arena, JIT_EXECUTABLE, to, code, bytes, error);
  free(code);
  return result;
}

static enum spgc_result add(struct jit_patches *patches, uintptr_t end, size_t bytes,
                            uintptr_t target, struct spgc_error *error) {
  const struct jit_area *area = &patches->arena->areas[JIT_EXECUTABLE];
  uintptr_t base = (uintptr_t)area->base;
  size_t least = patches->code->call_bytes;
  if (bytes < least || end - base > area->length || end - base < bytes)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "a sled of %zu bytes that ends at 0x%" PRIxPTR
                          "; a sled has at least %zu bytes and is in loaded code",
                          bytes, end, least);
  if (!patches->code->is_sled(area->base + (end - base) - bytes, bytes))
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "the %zu bytes before 0x%" PRIxPTR " are not all nops", bytes, end);
  if (patches->spare == NULL && !make_spares(patches))
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "cannot allocate the slots of patched calls: out of memory");
  struct jit_patch *patch = patches->spare;
  spgc_require(patch != NULL, "no slot of a patched call was made");
  atomic_store(patch->slot, target);
  enum spgc_result result = write_call(patches, end, bytes, (uintptr_t)patch->slot, error);
  if (result != SPGC_OK)
    return result;
  patches->spare = patch->next;
  patch->node = (struct address_node){.key = end};
  spgc_address_tree_insert(&patches->live, &patch->node);
  return SPGC_OK;
}

enum spgc_result spgc_jit_patch_set(struct jit_patches *patches, uintptr_t end, size_t bytes,
                                    uintptr_t target, struct spgc_error *error) {
  struct address_node *node = spgc_address_tree_find(patches->live.root, end, 0);
  if (node == NULL)
    return add(patches, end, bytes, target, error);
  atomic_store_explicit(((struct jit_patch *)node)->slot, target, memory_order_release);
  return SPGC_OK;
}

/* A sled ends in the span, or at its end. */
void spgc_jit_patch_forget(struct jit_patches *patches, struct jit_span span) {
  uintptr_t start = (uintptr_t)jit_span_start(patches->arena, span);
  for (struct address_node *node;
       (node = spgc_address_tree_before(patches->live.root, start + span.size)) != NULL &&
       node->key > start;) {
    struct jit_patch *patch = (struct jit_patch *)node;
    spgc_address_tree_remove(&patches->live, node);
    patch->next = patches->spare;
    patches->spare = patch;
  }
}

void spgc_jit_patch_free(struct jit_patches *patches) {
  for (struct jit_patch_page *page = patches->pages, *next; page != NULL; page = next) {
    next = page->next;
    free(page);
  }
}
