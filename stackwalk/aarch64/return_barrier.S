/* The stubs of return_barrier.h, their storage and their unwind information. */
#include "stackwalk/aarch64/return_barrier.h"
#include "stackwalk/aarch64/save_registers.inc"

        .bss
        .balign 64
        .globl  spgc_return_barrier_originals
        .hidden spgc_return_barrier_originals
        .type   spgc_return_barrier_originals, @object
        .size   spgc_return_barrier_originals, RETURN_BARRIERS * RETURN_BARRIER_BYTES
spgc_return_barrier_originals:
        .skip   RETURN_BARRIERS * RETURN_BARRIER_BYTES

/* Unwinders look up the byte before a return address, so the byte before the first stub must belong
 * to the stubs' function, too. A return may lead anywhere, a jump not, where branches are checked.
 */
        .text
        .balign RETURN_BARRIER_BYTES
        .type   spgc_return_barriers, @function
spgc_return_barriers:
        nop
        nop
        nop
        nop
        .globl  spgc_return_barrier_stubs
        .hidden spgc_return_barrier_stubs
spgc_return_barrier_stubs:
        .set    .Lbarrier, 0
        .rept   RETURN_BARRIERS
        adrp    x17, spgc_return_barrier_originals + RETURN_BARRIER_BYTES * .Lbarrier
        ldr     x17, [x17, #:lo12:spgc_return_barrier_originals + RETURN_BARRIER_BYTES * .Lbarrier]
        ret     x17
        nop
        .set    .Lbarrier, .Lbarrier + 1
        .endr
.Lend:
        .size   spgc_return_barriers, .Lend - spgc_return_barriers
        .if     .Lend - spgc_return_barrier_stubs - RETURN_BARRIERS * RETURN_BARRIER_BYTES
        .error  "a stub has another size than the header says"
        .endif

/* Call frame information (DWARF 5, section 6.4; Linux Standard Base, exception frames) that
 * assembler directives cannot express. In every stub the canonical frame address is the stack
 * pointer, and every register is the caller's. x30 led here, so it is the stub's address, and the
 * return address is in the storage, as far from the storage's start as x30 is from the first stub.
 * Only distances to the place they are written at need no relocation at load time. So, with P1 and
 * P2 for those places,
 *
 *     x30 + (originals - P1) - (stubs - P2) + (P1 - P2) = originals + (x30 - stubs)
 */
#define DW_CFA_def_cfa 0x0c
#define DW_CFA_expression 0x10
#define DW_OP_const1s 0x09
#define DW_OP_const4s 0x0d
#define DW_OP_minus 0x1c
#define DW_OP_plus 0x22
#define DW_OP_breg30 0x8e
#define DW_EH_PE_pcrel_sdata4 0x1b
#define STACK_POINTER 31
#define RETURN_ADDRESS 30

        .section .eh_frame, "a", @progbits
        .balign 8
.Lcommon:
        .long   .Lcommon_end - .Lcommon_id
.Lcommon_id:
        .long   0
        .byte   1                               /* version */
        .asciz  "zR"
        .uleb128 4                              /* code alignment */
        .sleb128 -8                             /* data alignment */
        .byte   RETURN_ADDRESS
        .uleb128 1                              /* bytes of augmentation data */
        .byte   DW_EH_PE_pcrel_sdata4
        .byte   DW_CFA_def_cfa, STACK_POINTER, 0
        .balign 8, 0
.Lcommon_end:
        .long   .Lstubs_end - .Lstubs_id
.Lstubs_id:
        .long   .Lstubs_id - .Lcommon
        .long   spgc_return_barriers - .
        .long   .Lend - spgc_return_barriers
        .uleb128 0                              /* bytes of augmentation data */
        .byte   DW_CFA_expression, RETURN_ADDRESS
        .uleb128 .Lexpression_end - .Lexpression
.Lexpression:
        .byte   DW_OP_breg30, 0
        .byte   DW_OP_const4s
.LP1:   .long   spgc_return_barrier_originals - .
        .byte   DW_OP_plus
        .byte   DW_OP_const4s
.LP2:   .long   spgc_return_barrier_stubs - .
        .byte   DW_OP_minus
        .byte   DW_OP_const1s, .LP1 - .LP2
        .byte   DW_OP_plus
.Lexpression_end:
        .balign 8, 0
.Lstubs_end:

        note_branch_protection
        .section .note.GNU-stack, "", @progbits
