/* The registers that a walk follows, with DWARF's numbers (DWARF for the Arm 64-bit Architecture,
 * section 4.1), which libunwind also uses. */
#ifndef SPGC_STACKWALK_AARCH64_REGISTERS_H
#define SPGC_STACKWALK_AARCH64_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

enum dwarf_register {
  DWARF_X19 = 19,
  DWARF_X28 = 28,
  DWARF_X29 = 29,
  DWARF_X30 = 30,
  DWARF_SP = 31,
  DWARF_D8 = 72,
  DWARF_D15 = 79,
};

enum {
  DWARF_STACK_POINTER = DWARF_SP,
  DWARF_FRAME_POINTER = DWARF_X29,
  DWARF_RETURN_ADDRESS = DWARF_X30,   /* column in call frame information */
  DWARF_INTERRUPTED_INSTRUCTION = 32, /* libunwind's, of an interrupted frame */
  UNWINDER_FINDS_PRESERVED = 0,       /* libunwind 1.6 does not find d8 to d15 */
};

/* General registers that a callee preserves, so that references in them can be found. */
static inline bool register_is_callee_saved(uint64_t reg) {
  return reg >= DWARF_X19 && reg <= DWARF_X29;
}

/* Registers that the calling convention preserves: of longer vectors only these halves. */
static inline bool register_is_preserved(uint64_t reg) {
  return register_is_callee_saved(reg) || (reg >= DWARF_D8 && reg <= DWARF_D15);
}

static inline const char *register_name(uint64_t reg) {
  static const char *const names[] = {"x19", "x20", "x21", "x22", "x23", "x24",
                                      "x25", "x26", "x27", "x28", "x29"};
  if (register_is_callee_saved(reg))
    return names[reg - DWARF_X19];
  return reg == DWARF_STACK_POINTER ? "sp" : "a register";
}

/* suspended_frame.h */
enum origin {
  ORIGIN_X19,
  ORIGIN_X28 = ORIGIN_X19 + 9,
  ORIGIN_X29,
  ORIGIN_D8,
  ORIGIN_D15 = ORIGIN_D8 + 7,
  ORIGIN_STACK_POINTER,
  ORIGIN_FRAME_POINTER,
  ORIGIN_RETURN_PLACE, /* return_place.h */
  ORIGIN_COUNT,
};

enum {
  ORIGIN_SAVED_FRAME_POINTER = ORIGIN_X29,
  CALLEE_SAVED_REGISTERS = ORIGIN_D8,         /* may hold references */
  PRESERVED_REGISTERS = ORIGIN_STACK_POINTER, /* those, then the others */
};

static inline enum dwarf_register origin_register(enum origin origin) {
  return origin < ORIGIN_D8 ? (enum dwarf_register)(DWARF_X19 + (origin - ORIGIN_X19))
                            : (enum dwarf_register)(DWARF_D8 + (origin - ORIGIN_D8));
}

static inline enum origin register_origin(unsigned reg) {
  if (reg == DWARF_STACK_POINTER)
    return ORIGIN_STACK_POINTER;
  return reg < DWARF_D8 ? (enum origin)(reg - DWARF_X19 + ORIGIN_X19)
                        : (enum origin)(reg - DWARF_D8 + ORIGIN_D8);
}

#endif
