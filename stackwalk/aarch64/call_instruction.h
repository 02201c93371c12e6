#ifndef SPGC_STACKWALK_AARCH64_CALL_INSTRUCTION_H
#define SPGC_STACKWALK_AARCH64_CALL_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "stackwalk/address.h"

/* As in x86_64/call_instruction.h. BL has a distance of 26 bits in instructions; BLR, BLRAA and
 * their kin differ in the bits that `BLR_MASK` omits (Arm Architecture Reference Manual, C4.1). */
static inline bool call_ends_at(struct return_address address, uintptr_t start,
                                uintptr_t *destination) {
  static const uint32_t BL = 0x94000000, BL_MASK = 0xfc000000, BLR = 0xd63f0000,
                        BLR_MASK = 0xfefff000, NOP = 0xd503201f;
  enum { BYTES = 4, SIGN = 6 };
  uint32_t instruction;
  *destination = 0;
  if (address.word % BYTES != 0 || address.word - start < BYTES)
    return false;
  memcpy(&instruction, (const void *)(address.word - BYTES), sizeof instruction);
  if ((instruction & BL_MASK) != BL)
    return (instruction & BLR_MASK) == BLR || instruction == NOP;
  int32_t distance = (int32_t)(instruction << SIGN) >> SIGN;
  *destination = address.word - BYTES + (uintptr_t)((intptr_t)distance * BYTES);
  return true;
}

#endif
