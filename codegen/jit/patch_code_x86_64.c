#include "codegen/jit/patch_code.h"

#include <elf.h>
#include <string.h>

enum { CALL_BYTES = 6, NOP = 0x90, OPERAND_SIZE = 0x66, CODE_SEGMENT = 0x2E };

/* After 0F 1F, without a segment or an immediate: Intel's manual, volume 2, table 2-2. */
static size_t address_form_bytes(const uint8_t *form, size_t left) {
  if (left < 2)
    return left + 1;
  unsigned mode = form[0] >> 6, base = form[0] & 7, index = base == 4;
  size_t displacement = mode == 1 ? 1 : mode == 2 || (mode == 0 && base == 5) ? 4 : 0;
  if (index && mode == 0 && (form[1] & 7) == 5)
    displacement = 4;
  return mode == 3 ? 1 : 1 + index + displacement;
}

/* 0 unless LLVM pads with this form. */
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

static void write_call(uint8_t *end, size_t bytes, uintptr_t place, uintptr_t slot) {
  int32_t distance = (int32_t)(slot - place);
  memset(end - bytes, NOP, bytes - CALL_BYTES);
  end[-6] = 0xFF; /* call *distance(%rip) */
  end[-5] = 0x15;
  memcpy(end - sizeof distance, &distance, sizeof distance);
}

const struct patch_code spgc_patch_code_x86_64 = {
    .elf_machine = EM_X86_64,
    .call_bytes = CALL_BYTES,
    .is_sled = is_sled,
    .write_call = write_call,
};
