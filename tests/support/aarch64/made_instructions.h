/* The functions of tests/support/made_code.h, and their unwind information. */
#ifndef SPGC_TESTS_AARCH64_MADE_INSTRUCTIONS_H
#define SPGC_TESTS_AARCH64_MADE_INSTRUCTIONS_H

/* The callee's address comes after the branch that skips it. */
static const unsigned char made_head[] = {
    0xfe, 0x4f, 0xbe, 0xa9, /* stp x30, x19, [sp, #-32]! */
    0xe0, 0x0b, 0x00, 0xf9, /* str x0, [sp, #16] */
    0xf3, 0x03, 0x00, 0xaa, /* mov x19, x0 */
    0x49, 0x00, 0x00, 0x58, /* ldr x9, .+8 */
    0x03, 0x00, 0x00, 0x14, /* b   .+12 */
};
static const unsigned char made_tail[] = {
    0x20, 0x01, 0x3f, 0xd6, /* blr x9 */
    0xea, 0x0b, 0x40, 0xf9, /* ldr x10, [sp, #16] */
    0x4a, 0x01, 0x13, 0xcb, /* sub x10, x10, x19 */
    0x00, 0x00, 0x0a, 0xaa, /* orr x0, x0, x10 */
    0xfe, 0x4f, 0xc2, 0xa8, /* ldp x30, x19, [sp], #32 */
    0xc0, 0x03, 0x5f, 0xd6, /* ret */
};
enum { MADE_CALL_BYTES = 4, MADE_FRAME_BYTES = 32, MADE_CODE_ALIGNMENT = 4 };

/* The object: in a slot, and in x19. */
enum { MADE_SLOT_BASE = 31, MADE_SLOT_OFFSET = 16, MADE_REGISTER = 19 };

/* The common part: "zR", code in bytes, data in words downwards, return address 30, relative
 * addresses; the canonical frame address is the stack pointer at first. */
static const unsigned char made_common[] = {20, 0,   0,  0, 0,    0,    0,  0, 1, 'z', 'R', 0,
                                            1,  120, 30, 1, 0x1b, 0x0c, 31, 0, 0, 0,   0,   0};

/* After stp: the stack pointer + 32, with x30 there and x19 above it. */
static const unsigned char made_unwinding[] = {0, 0x44, 0x0e, 32, 0x9e, 4, 0x93, 3, 0, 0, 0, 0};

#endif
