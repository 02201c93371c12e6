/* A call site that may be patched is a sled of nops, whose last bytes become a call through a word
 * of memory:
 *
 *   x86-64    nop ... nop, call *slot(%rip)
 *   AArch64   nop ... nop, adrp x16, slot; ldr x16, [x16, slot]; blr x16
 *
 * These functions read and write bytes, so each runs on every processor. */
#ifndef SPGC_CODEGEN_JIT_PATCH_CODE_H
#define SPGC_CODEGEN_JIT_PATCH_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct patch_code {
  uint16_t elf_machine;
  size_t call_bytes;
  /* Only nops in the forms that LLVM pads with. */
  bool (*is_sled)(const uint8_t *code, size_t bytes);
  /* Makes the sled of at least call_bytes before `end` call the function whose address is in the
   * aligned word at `slot`. `end` runs at `place`, less than 2 GiB from the slot. */
  void (*write_call)(uint8_t *end, size_t bytes, uintptr_t place, uintptr_t slot);
};

extern const struct patch_code spgc_patch_code_x86_64, spgc_patch_code_aarch64;

#endif
