#ifndef SPGC_STACKWALK_X86_64_CALL_INSTRUCTION_H
#define SPGC_STACKWALK_X86_64_CALL_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "stackwalk/address.h"

/* ModRM, SIB and displacement (Intel's manual, volume 2, 2.1.3). */
static inline unsigned operand_bytes(const uint8_t *operand) {
  unsigned mode = operand[0] >> 6, place = operand[0] & 7;
  bool has_sib = mode != 3 && place == 4;
  bool has_base = has_sib ? (operand[1] & 7) != 5 : place != 5;
  unsigned displacement = mode == 1 ? 1 : mode == 2 || (mode == 0 && !has_base) ? 4 : 0;
  return 1 + has_sib + displacement;
}

/* call rel32 is E8; call r/m64 is FF /2. */
static inline bool is_indirect_call(const uint8_t *at, unsigned length) {
  return at[0] == 0xff && (at[1] >> 3 & 7) == 2 && 1 + operand_bytes(at + 1) == length;
}

/* nop r/m is 0F 1F /0. */
static inline bool is_long_nop(const uint8_t *at, unsigned length) {
  return length > 2 && at[0] == 0x0f && at[1] == 0x1f && 2 + operand_bytes(at + 2) == length;
}

/* Whether a call ends at the address, or a nop that the program may replace by one. The code begins
 * at `start`. Sets *destination to a direct call's, else to 0. */
static inline bool call_ends_at(struct return_address address, uintptr_t start,
                                uintptr_t *destination) {
  enum { DIRECT = 5, LONGEST = 8 };
  const uint8_t *end = (const uint8_t *)address.word;
  uintptr_t room = address.word - start;
  int32_t distance;
  *destination = 0;
  if (room >= DIRECT && end[-DIRECT] == 0xe8) {
    memcpy(&distance, end - sizeof distance, sizeof distance);
    *destination = address.word + (uintptr_t)(intptr_t)distance;
    return true;
  }
  for (unsigned length = 2; length <= LONGEST && length <= room; length++)
    if (is_indirect_call(end - length, length) || is_long_nop(end - length, length))
      return true;
  return room >= 1 && end[-1] == 0x90;
}

#endif
