#include "codegen/jit/jit_patch.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "support/fatal.h"

enum { CALL_BYTES = 6, NOP = 0x90, OPERAND_SIZE = 0x66, CODE_SEGMENT = 0x2E };

/* The length of the address form after 0F 1F: Intel's manual, volume 2, table 2-2, without a
 * segment or an immediate. */
static size_t address_form_bytes(const uint8_t *form, size_t left) {
  if (left < 2)
    return left + 1;
  unsigned mode = form[0] >> 6, base = form[0] & 7, index = base == 4;
  size_t displacement = mode == 1 ? 1 : mode == 2 || (mode == 0 && base == 5) ? 4 : 0;
  if (index && mode == 0 && (form[1] & 7) == 5)
    displacement = 4;
  return mode == 3 ? 1 : 1 + index + displacement;
}

/* The length of the nop that starts here, in one of the forms that LLVM pads with; 0 when it is
 * something else. */
static size_t nop_bytes(const uint8_t *code, size_t left) {
  size_t at = 0;
  while (at < left && (code[at] == OPERAND_SIZE || code[at] == CODE_SEGMENT))
    at++;
  if (at < left && code[at] == NOP)
    return at + 1;
  if (left - at < 3 || code[at] != 0x0F || code[at + 1] != 0x1F)
    return 0;
  at += 2;
  at += address_form_bytes(code + at, left - at);
  return at <= left ? at : 0;
}

static bool is_sled(const uint8_t *code, size_t bytes) {
  for (size_t at = 0; at < bytes;) {
    size_t nop = nop_bytes(code + at, bytes - at);
    if (nop == 0)
      return false;
    at += nop;
  }
  return true;
}

/* Makes a page of spare slots. */
static bool make_spares(struct jit_patches *patches) {
  struct jit_span span;
  if (!spgc_jit_arena_take(patches->arena, JIT_PAGE, &span))
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
  uint8_t *page = start - (uintptr_t)start % JIT_PAGE;
  struct jit_span span = {page, ((size_t)(end - page) + JIT_PAGE - 1) / JIT_PAGE * JIT_PAGE};
  int32_t distance = (int32_t)((intptr_t)patch->slot - (intptr_t)patch->end);
  if (!spgc_jit_arena_protect(span, JIT_WRITABLE))
    return spgc_error_set(error, SPGC_ERROR_SYSTEM, 0, "the system refuses to make code writable");
  memset(start, NOP, bytes - CALL_BYTES);
  end[-6] = 0xFF; /* call *distance(%rip) */
  end[-5] = 0x15;
  memcpy(end - sizeof distance, &distance, sizeof distance);
  spgc_require(spgc_jit_arena_protect(span, JIT_EXECUTABLE),
               "code cannot be made executable again");
  return SPGC_OK;
}

static enum spgc_result add(struct jit_patches *patches, uintptr_t end, size_t bytes,
                            uintptr_t target, struct spgc_error *error) {
  uintptr_t base = (uintptr_t)patches->arena->base;
  if (bytes < CALL_BYTES || end - base > patches->arena->size || end - base < bytes)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "a sled of %zu bytes that ends at 0x%" PRIxPTR
                          "; it takes %d bytes, in loaded code",
                          bytes, end, CALL_BYTES);
  if (!is_sled(patches->arena->base + (end - base) - bytes, bytes))
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
