/* The registers that a walk follows, with DWARF's numbers (System V psABI, figure 3.36), which
 * libunwind also uses. */
#ifndef SPGC_STACKWALK_X86_64_REGISTERS_H
#define SPGC_STACKWALK_X86_64_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

enum dwarf_register {
  DWARF_RBX = 3,
  DWARF_RBP = 6,
  DWARF_RSP = 7,
  DWARF_R12 = 12,
  DWARF_R13 = 13,
  DWARF_R14 = 14,
  DWARF_R15 = 15,
};

enum {
  DWARF_STACK_POINTER = DWARF_RSP,
  DWARF_FRAME_POINTER = DWARF_RBP,
  DWARF_RETURN_ADDRESS = 16,          /* column in call frame information */
  DWARF_INTERRUPTED_INSTRUCTION = 16, /* libunwind's, of an interrupted frame */
  UNWINDER_FINDS_PRESERVED = 1,
};

/* General registers that a callee preserves, so that references in them can be found. */
static inline bool register_is_callee_saved(uint64_t reg) {
  return reg == DWARF_RBX || reg == DWARF_RBP || (reg >= DWARF_R12 && reg <= DWARF_R15);
}

static inline bool register_is_preserved(uint64_t reg) {
  return register_is_callee_saved(reg);
}

static inline const char *register_name(uint64_t reg) {
  switch (reg) {
  case DWARF_RBX: return "rbx";
  case DWARF_RBP: return "rbp";
  case DWARF_RSP: return "rsp";
  case DWARF_R12: return "r12";
  case DWARF_R13: return "r13";
  case DWARF_R14: return "r14";
  case DWARF_R15: return "r15";
  default: return "a register";
  }
}

/* suspended_frame.h */
enum origin {
  ORIGIN_RBX,
  ORIGIN_RBP,
  ORIGIN_R12,
  ORIGIN_R13,
  ORIGIN_R14,
  ORIGIN_R15,
  ORIGIN_STACK_POINTER,
  ORIGIN_FRAME_POINTER,
  ORIGIN_COUNT,
};

enum {
  ORIGIN_SAVED_FRAME_POINTER = ORIGIN_RBP,
  CALLEE_SAVED_REGISTERS = ORIGIN_STACK_POINTER, /* may hold references */
  PRESERVED_REGISTERS = CALLEE_SAVED_REGISTERS,  /* those, then the others */
};

static inline enum dwarf_register origin_register(enum origin origin) {
  static const enum dwarf_register registers[CALLEE_SAVED_REGISTERS] = {
      DWARF_RBX, DWARF_RBP, DWARF_R12, DWARF_R13, DWARF_R14, DWARF_R15};
  return registers[origin];
}

static inline enum origin register_origin(unsigned reg) {
  switch (reg) {
  case DWARF_RBX: return ORIGIN_RBX;
  case DWARF_RBP: return ORIGIN_RBP;
  case DWARF_RSP: return ORIGIN_STACK_POINTER;
  default: return (enum origin)(reg - DWARF_R12 + ORIGIN_R12);
  }
}

#endif
