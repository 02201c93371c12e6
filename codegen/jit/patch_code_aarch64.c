#include "codegen/jit/patch_code.h"

#include <elf.h>
#include <string.h>

/* Encodings of the Arm Architecture Reference Manual (C6.2). Code between a call and its callee may
 * use x16 (AAPCS64, 6.1.1), which holds no argument. */
enum { INSTRUCTION_BYTES = 4, CALL_BYTES = 3 * INSTRUCTION_BYTES, SCRATCH = 16 };
static const uint32_t nop = 0xD503201F;
static const uint32_t adrp = 0x90000000 | SCRATCH;
static const uint32_t ldr = 0xF9400000 | SCRATCH << 5 | SCRATCH;
static const uint32_t blr = 0xD63F0000 | SCRATCH << 5;

static bool is_sled(const uint8_t *code, size_t bytes) {
  if ((uintptr_t)code % INSTRUCTION_BYTES != 0 || bytes % INSTRUCTION_BYTES != 0)
    return false;
  for (size_t at = 0; at < bytes; at += INSTRUCTION_BYTES)
    if (memcmp(code + at, &nop, INSTRUCTION_BYTES) != 0)
      return false;
  return true;
}

static void write_instruction(uint8_t *at, uint32_t instruction) {
  memcpy(at, &instruction, INSTRUCTION_BYTES);
}

/* The distance is in units of 4 KiB, whatever the page size. Its lowest two bits are encoded
 * apart. */
static uint32_t adrp_to(uintptr_t from, uintptr_t slot) {
  uint32_t distance = (uint32_t)((slot >> 12) - (from >> 12));
  return adrp | (distance & 3) << 29 | (distance >> 2 & 0x7FFFF) << 5;
}

static void write_call(uint8_t *end, size_t bytes, uintptr_t place, uintptr_t slot) {
  uint8_t *call = end - CALL_BYTES;
  for (uint8_t *at = end - bytes; at < call; at += INSTRUCTION_BYTES)
    write_instruction(at, nop);
  write_instruction(call, adrp_to(place - CALL_BYTES, slot));
  write_instruction(call + INSTRUCTION_BYTES, ldr | (uint32_t)((slot & 0xFFF) / sizeof slot) << 10);
  write_instruction(call + (size_t)2 * INSTRUCTION_BYTES, blr);
}

const struct patch_code spgc_patch_code_aarch64 = {
    .elf_machine = EM_AARCH64,
    .call_bytes = CALL_BYTES,
    .is_sled = is_sled,
    .write_call = write_call,
};
