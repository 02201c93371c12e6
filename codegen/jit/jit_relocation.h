/* Relocations of position-independent code in the small code model (System V ABI, AMD64 supplement,
 * 4.4; ELF for the Arm 64-bit Architecture). They read and write bytes, so each runs on every
 * processor. */
#ifndef SPGC_CODEGEN_JIT_JIT_RELOCATION_H
#define SPGC_CODEGEN_JIT_JIT_RELOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum jit_need {
  JIT_NEED_NOTHING,
  JIT_NEED_STUB,   /* a nearby jump, if the symbol is far away */
  JIT_NEED_SLOT,   /* a word with the symbol's address */
  JIT_UNSUPPORTED, /* unknown, or of a thread-local variable */
};

struct jit_fixup {
  uint32_t type;
  uint8_t *at;
  size_t offset;
  size_t room;     /* bytes of the section from here */
  uintptr_t place; /* final */
  uintptr_t symbol;
  int64_t addend;
  uintptr_t stub, slot; /* or 0 */
};

struct jit_relocator {
  uint16_t elf_machine;
  size_t code_bytes; /* the most code that a call can reach across; 0: any */
  size_t stub_bytes;
  /* `is_near`: the symbol is in the arena. */
  enum jit_need (*need)(const struct jit_fixup *fixup, bool is_near);
  /* NULL, or the mistake. */
  const char *(*apply)(const struct jit_fixup *fixup);
  /* The jump, through the word at `slot`, runs at `place`. */
  void (*write_stub)(uint8_t *at, uintptr_t place, uintptr_t slot);
};

extern const struct jit_relocator spgc_jit_relocator_x86_64, spgc_jit_relocator_aarch64;

const struct jit_relocator *spgc_jit_relocator_of_host(void);

extern const char spgc_jit_too_far[], spgc_jit_cut_off[], spgc_jit_misaligned[];

#endif
