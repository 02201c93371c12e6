#include "codegen/jit/jit_link.h"

#include "codegen/jit/jit_relocation.h"
#include "support/fatal.h"

enum { AT_ONCE = 64, MOST_STUB_BYTES = 16 };

static bool take_more(struct jit_links *links, struct jit_arena *arena) {
  struct jit_span stubs, slots;
  if (!spgc_jit_arena_take(arena, JIT_EXECUTABLE, (size_t)AT_ONCE * MOST_STUB_BYTES,
                           MOST_STUB_BYTES, &stubs))
    return false;
  if (!spgc_jit_arena_take(arena, JIT_READ_ONLY, AT_ONCE * sizeof(uintptr_t), sizeof(uintptr_t),
                           &slots)) {
    spgc_jit_arena_give_back(arena, JIT_EXECUTABLE, &stubs);
    return false;
  }
  *links = (struct jit_links){{stubs.offset, slots.offset}, AT_ONCE};
  return true;
}

static enum spgc_result write_link(struct jit_arena *arena, struct jit_link link, uintptr_t address,
                                   struct spgc_error *error) {
  const struct jit_relocator *relocator = spgc_jit_relocator_of_host();
  uint8_t code[MOST_STUB_BYTES], *stub = arena->base + link.stub, *slot = arena->base + link.slot;
  relocator->write_stub(code, (uintptr_t)stub, (uintptr_t)slot);
  enum spgc_result result =
      spgc_jit_arena_write(arena, JIT_READ_ONLY, slot, &address, sizeof address, error);
  return result != SPGC_OK ? result
                           : spgc_jit_arena_write(arena, JIT_EXECUTABLE, stub, code,
                                                  relocator->stub_bytes, error);
}

enum spgc_result spgc_jit_link_make(struct jit_links *links, struct jit_arena *arena,
                                    uintptr_t address, struct jit_link *link,
                                    struct spgc_error *error) {
  if (link->slot != 0)
    return SPGC_OK;
  if (links->left == 0 && !take_more(links, arena))
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "no room for the stubs of calls: remove objects, or load less");
  enum spgc_result result = write_link(arena, links->next, address, error);
  if (result != SPGC_OK)
    return result;
  *link = links->next;
  links->next.stub += MOST_STUB_BYTES;
  links->next.slot += sizeof(uintptr_t);
  links->left--;
  return SPGC_OK;
}
