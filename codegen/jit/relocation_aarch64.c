#include <elf.h>
#include <string.h>

#include "codegen/jit/jit_relocation.h"

/* A call reaches 128 MiB. Stubs are in the same area. */
enum { STUB_BYTES = 16, SCRATCH = 16, PAGE_SHIFT = 12, CALL_REACH = 128 << 20 };
static const uint32_t adrp = 0x90000000 | SCRATCH;
static const uint32_t ldr = 0xF9400000 | SCRATCH << 5 | SCRATCH;
static const uint32_t br = 0xD61F0000 | SCRATCH << 5;
static const uint32_t breakpoint = 0xD4200000;

/* The bits that the field omits must be zero; the value must fit with its sign. */
enum check { UNCHECKED, ALIGNED, IN_RANGE };

struct field {
  unsigned bits, at, shift; /* width, lowest bit, and the value's bits that it leaves out */
  enum check check;
};

static bool field_of(uint32_t type, struct field *field) {
  switch (type) {
  case R_AARCH64_CALL26:
  case R_AARCH64_JUMP26: *field = (struct field){26, 0, 2, IN_RANGE}; return true;
  case R_AARCH64_CONDBR19:
  case R_AARCH64_LD_PREL_LO19: *field = (struct field){19, 5, 2, IN_RANGE}; return true;
  case R_AARCH64_TSTBR14: *field = (struct field){14, 5, 2, IN_RANGE}; return true;
  case R_AARCH64_ADD_ABS_LO12_NC:
  case R_AARCH64_LDST8_ABS_LO12_NC: *field = (struct field){12, 10, 0, UNCHECKED}; return true;
  case R_AARCH64_LDST16_ABS_LO12_NC: *field = (struct field){11, 10, 1, ALIGNED}; return true;
  case R_AARCH64_LDST32_ABS_LO12_NC: *field = (struct field){10, 10, 2, ALIGNED}; return true;
  case R_AARCH64_LDST64_ABS_LO12_NC:
  case R_AARCH64_LD64_GOT_LO12_NC: *field = (struct field){9, 10, 3, ALIGNED}; return true;
  case R_AARCH64_LDST128_ABS_LO12_NC: *field = (struct field){8, 10, 4, ALIGNED}; return true;
  case R_AARCH64_MOVW_UABS_G0_NC: *field = (struct field){16, 5, 0, UNCHECKED}; return true;
  case R_AARCH64_MOVW_UABS_G1_NC: *field = (struct field){16, 5, 16, UNCHECKED}; return true;
  case R_AARCH64_MOVW_UABS_G2_NC: *field = (struct field){16, 5, 32, UNCHECKED}; return true;
  case R_AARCH64_MOVW_UABS_G3: *field = (struct field){16, 5, 48, UNCHECKED}; return true;
  default: return false;
  }
}

static bool is_relative(uint32_t type) {
  return type == R_AARCH64_CALL26 || type == R_AARCH64_JUMP26 || type == R_AARCH64_CONDBR19 ||
         type == R_AARCH64_TSTBR14 || type == R_AARCH64_LD_PREL_LO19;
}

static enum jit_need need(const struct jit_fixup *fixup, bool is_near) {
  struct field field;
  switch (fixup->type) {
  case R_AARCH64_NONE:
  case R_AARCH64_ABS64:
  case R_AARCH64_ABS32:
  case R_AARCH64_PREL64:
  case R_AARCH64_PREL32:
  case R_AARCH64_ADR_PREL_PG_HI21:
  case R_AARCH64_ADR_PREL_PG_HI21_NC:
  case R_AARCH64_ADR_PREL_LO21: return JIT_NEED_NOTHING;
  case R_AARCH64_ADR_GOT_PAGE:
  case R_AARCH64_LD64_GOT_LO12_NC: return JIT_NEED_SLOT;
  case R_AARCH64_CALL26:
  case R_AARCH64_JUMP26: return is_near ? JIT_NEED_NOTHING : JIT_NEED_STUB;
  default: return field_of(fixup->type, &field) ? JIT_NEED_NOTHING : JIT_UNSUPPORTED;
  }
}

static bool fits(int64_t value, unsigned bits) {
  return value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1);
}

static const char *write_data(const struct jit_fixup *fixup, int64_t value, size_t bytes) {
  if (fixup->room < bytes)
    return spgc_jit_cut_off;
  if (bytes == sizeof(uint32_t) && (value < INT32_MIN || value > UINT32_MAX))
    return spgc_jit_too_far;
  memcpy(fixup->at, &value, bytes); /* little endian */
  return NULL;
}

static void write_bits(uint8_t *at, uint64_t value, unsigned bits, unsigned position) {
  uint32_t instruction, mask = (UINT32_C(1) << bits) - 1;
  memcpy(&instruction, at, sizeof instruction);
  instruction = (instruction & ~(mask << position)) | ((uint32_t)value & mask) << position;
  memcpy(at, &instruction, sizeof instruction);
}

/* The lowest two bits of the immediate of adr and adrp are encoded apart. */
static const char *write_split(const struct jit_fixup *fixup, int64_t value) {
  if (!fits(value, 21))
    return spgc_jit_too_far;
  write_bits(fixup->at, (uint64_t)value & 3, 2, 29);
  write_bits(fixup->at, (uint64_t)value >> 2, 19, 5);
  return NULL;
}

static int64_t pages_between(uintptr_t from, uint64_t to) {
  return (int64_t)(to >> PAGE_SHIFT) - (int64_t)(from >> PAGE_SHIFT);
}

static const char *write_field(const struct jit_fixup *fixup, uint64_t value) {
  struct field field;
  if (!field_of(fixup->type, &field))
    return NULL;
  if (field.check == IN_RANGE && !fits((int64_t)value, field.bits + field.shift))
    return spgc_jit_too_far;
  if (field.check != UNCHECKED && (value & ((UINT64_C(1) << field.shift) - 1)) != 0)
    return spgc_jit_misaligned;
  write_bits(fixup->at, value >> field.shift, field.bits, field.at);
  return NULL;
}

static const char *write_instruction(const struct jit_fixup *fixup, uint64_t value) {
  if (fixup->room < sizeof(uint32_t))
    return spgc_jit_cut_off;
  switch (fixup->type) {
  case R_AARCH64_ADR_PREL_PG_HI21:
  case R_AARCH64_ADR_PREL_PG_HI21_NC: return write_split(fixup, pages_between(fixup->place, value));
  case R_AARCH64_ADR_GOT_PAGE: return write_split(fixup, pages_between(fixup->place, fixup->slot));
  case R_AARCH64_ADR_PREL_LO21: return write_split(fixup, (int64_t)(value - fixup->place));
  case R_AARCH64_LD64_GOT_LO12_NC: return write_field(fixup, fixup->slot);
  default: break;
  }
  if (fixup->stub != 0)
    value = fixup->stub + (uint64_t)fixup->addend;
  return write_field(fixup, is_relative(fixup->type) ? value - fixup->place : value);
}

static const char *apply(const struct jit_fixup *fixup) {
  uint64_t value = fixup->symbol + (uint64_t)fixup->addend;
  switch (fixup->type) {
  case R_AARCH64_NONE: return NULL;
  case R_AARCH64_ABS64: return write_data(fixup, (int64_t)value, sizeof(uint64_t));
  case R_AARCH64_PREL64:
    return write_data(fixup, (int64_t)(value - fixup->place), sizeof(uint64_t));
  case R_AARCH64_ABS32: return write_data(fixup, (int64_t)value, sizeof(uint32_t));
  case R_AARCH64_PREL32:
    return write_data(fixup, (int64_t)(value - fixup->place), sizeof(uint32_t));
  default: return write_instruction(fixup, value);
  }
}

static void write_stub(uint8_t *at, uintptr_t place, uintptr_t slot) {
  uint64_t pages = (uint64_t)pages_between(place, slot);
  const uint32_t code[] = {adrp | (uint32_t)(pages & 3) << 29 |
                               (uint32_t)(pages >> 2 & 0x7FFFF) << 5,
                           ldr | (uint32_t)((slot & 0xFFF) / sizeof slot) << 10, br, breakpoint};
  memcpy(at, code, sizeof code);
}

const struct jit_relocator spgc_jit_relocator_aarch64 = {
    .elf_machine = EM_AARCH64,
    .code_bytes = CALL_REACH,
    .stub_bytes = STUB_BYTES,
    .need = need,
    .apply = apply,
    .write_stub = write_stub,
};
