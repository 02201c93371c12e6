#include <elf.h>
#include <string.h>

#include "codegen/jit/jit_relocation.h"

enum { STUB_BYTES = 8, MOV = 0x8B, LEA = 0x8D, TRAP = 0xCC };

/* A load of the symbol's address may become its computation (AMD64 supplement, B.2). */
static bool is_relaxed(const struct jit_fixup *fixup) {
  return (fixup->type == R_X86_64_GOTPCRELX || fixup->type == R_X86_64_REX_GOTPCRELX) &&
         fixup->offset >= 2 && fixup->at[-2] == MOV;
}

static enum jit_need need(const struct jit_fixup *fixup, bool is_near) {
  switch (fixup->type) {
  case R_X86_64_NONE:
  case R_X86_64_64:
  case R_X86_64_PC64:
  case R_X86_64_32:
  case R_X86_64_32S:
  case R_X86_64_PC32: return JIT_NEED_NOTHING;
  case R_X86_64_PLT32: return is_near ? JIT_NEED_NOTHING : JIT_NEED_STUB;
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX:
    return is_near && is_relaxed(fixup) ? JIT_NEED_NOTHING : JIT_NEED_SLOT;
  default: return JIT_UNSUPPORTED;
  }
}

static const char *write_64(const struct jit_fixup *fixup, uint64_t value) {
  if (fixup->room < sizeof value)
    return spgc_jit_cut_off;
  memcpy(fixup->at, &value, sizeof value);
  return NULL;
}

static const char *write_32(const struct jit_fixup *fixup, int64_t value, int64_t least,
                            int64_t most) {
  if (fixup->room < sizeof(uint32_t))
    return spgc_jit_cut_off;
  if (value < least || value > most)
    return spgc_jit_too_far;
  uint32_t word = (uint32_t)value;
  memcpy(fixup->at, &word, sizeof word);
  return NULL;
}

static const char *write_distance(const struct jit_fixup *fixup, uintptr_t target) {
  return write_32(fixup, (int64_t)(target + (uint64_t)fixup->addend - fixup->place), INT32_MIN,
                  INT32_MAX);
}

static const char *write_address_of_slot(const struct jit_fixup *fixup) {
  if (fixup->slot != 0)
    return write_distance(fixup, fixup->slot);
  fixup->at[-2] = LEA;
  return write_distance(fixup, fixup->symbol);
}

static const char *apply(const struct jit_fixup *fixup) {
  uint64_t value = fixup->symbol + (uint64_t)fixup->addend;
  switch (fixup->type) {
  case R_X86_64_64: return write_64(fixup, value);
  case R_X86_64_PC64: return write_64(fixup, value - fixup->place);
  case R_X86_64_32: return write_32(fixup, (int64_t)value, 0, UINT32_MAX);
  case R_X86_64_32S: return write_32(fixup, (int64_t)value, INT32_MIN, INT32_MAX);
  case R_X86_64_PC32: return write_distance(fixup, fixup->symbol);
  case R_X86_64_PLT32: return write_distance(fixup, fixup->stub != 0 ? fixup->stub : fixup->symbol);
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX: return write_address_of_slot(fixup);
  default: return NULL;
  }
}

static void write_stub(uint8_t *at, uintptr_t place, uintptr_t slot) {
  enum { JUMP_BYTES = 6 };
  int32_t distance = (int32_t)(slot - (place + JUMP_BYTES));
  memset(at, TRAP, STUB_BYTES);
  at[0] = 0xFF; /* jmp *distance(%rip) */
  at[1] = 0x25;
  memcpy(at + 2, &distance, sizeof distance);
}

const struct jit_relocator spgc_jit_relocator_x86_64 = {
    .elf_machine = EM_X86_64,
    .stub_bytes = STUB_BYTES,
    .need = need,
    .apply = apply,
    .write_stub = write_stub,
};
