/* The functions of tests/support/made_code.h, and their unwind information. */
#ifndef SPGC_TESTS_X86_64_MADE_INSTRUCTIONS_H
#define SPGC_TESTS_X86_64_MADE_INSTRUCTIONS_H

/* The callee's address comes after the sixth instruction's opcode. */
static const unsigned char made_head[] = {
    0x53,                         /* push rbx */
    0x48, 0x83, 0xec, 0x10,       /* sub  rsp, 16 */
    0x48, 0x89, 0x7c, 0x24, 0x08, /* mov  [rsp + 8], rdi */
    0x48, 0x89, 0xfb,             /* mov  rbx, rdi */
    0x48, 0xb8,                   /* mov  rax, ... */
};
static const unsigned char made_tail[] = {
    0xff, 0xd0,                   /* call rax */
    0x48, 0x8b, 0x4c, 0x24, 0x08, /* mov  rcx, [rsp + 8] */
    0x48, 0x29, 0xd9,             /* sub  rcx, rbx */
    0x48, 0x09, 0xc8,             /* or   rax, rcx */
    0x48, 0x83, 0xc4, 0x10,       /* add  rsp, 16 */
    0x5b,                         /* pop  rbx */
    0xc3,                         /* ret */
};
enum { MADE_CALL_BYTES = 2, MADE_FRAME_BYTES = 24, MADE_CODE_ALIGNMENT = 1 };

/* The object: in a slot, and in RBX. */
enum { MADE_SLOT_BASE = 7, MADE_SLOT_OFFSET = 8, MADE_REGISTER = 3 };

/* The common part: "zR", code in bytes, data in words downwards, return address 16, relative
 * addresses; at first the canonical frame address is RSP + 8, the return address 8 below. */
static const unsigned char made_common[] = {20, 0,   0,  0, 0,    0,    0, 0, 1,    'z', 'R', 0,
                                            1,  120, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1,   0,   0};

/* After push: RSP + 16, with RBX there. After sub: RSP + 32. */
static const unsigned char made_unwinding[] = {0, 0x41, 0x0e, 16, 0x83, 2, 0x44, 0x0e, 32, 0, 0, 0};

#endif
