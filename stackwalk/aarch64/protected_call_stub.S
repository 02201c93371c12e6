/* The frame of protected_call.h that holds the registers that calls preserve. */
#include "stackwalk/protected_call.h"
#include "stackwalk/aarch64/save_registers.inc"

#define DW_EH_PE_indirect_pcrel_sdata4 0x9b

/* struct ended_call spgc_protected_call_start(function, argument, call): returns the function's
 * result, and 0. */
        .text
        .balign 16
        .globl  spgc_protected_call_start
        .hidden spgc_protected_call_start
        .type   spgc_protected_call_start, @function
spgc_protected_call_start:
        .cfi_startproc
        .cfi_personality DW_EH_PE_indirect_pcrel_sdata4, .Lpersonality
        entry
        save_registers
        str     x2, [sp, #-16]!         /* for protected_call_of_frame */
        .cfi_adjust_cfa_offset 16
        mov     x9, sp
        str     x9, [x2, #PROTECTED_CALL_STACK_POINTER]
        mov     x9, x0
        mov     x0, x1
        blr     x9
        mov     x1, xzr
.Lend_call:
        add     sp, sp, #16
        .cfi_adjust_cfa_offset -16
        restore_registers
        ret
        .cfi_endproc
        .size   spgc_protected_call_start, . - spgc_protected_call_start

/* spgc_protected_call_end(call, value): spgc_protected_call_start returns the value and 1. */
        .balign 16
        .globl  spgc_protected_call_end
        .hidden spgc_protected_call_end
        .type   spgc_protected_call_end, @function
spgc_protected_call_end:
        .cfi_startproc
        entry
        ldr     x9, [x0, #PROTECTED_CALL_STACK_POINTER]
        mov     x0, x1
        mov     x1, #1
        mov     sp, x9
        .cfi_def_cfa_offset SAVED_REGISTERS_BYTES + 16
        .cfi_offset x29, -160
        .cfi_offset x30, -152
        .cfi_offset x19, -144
        .cfi_offset x20, -136
        .cfi_offset x21, -128
        .cfi_offset x22, -120
        .cfi_offset x23, -112
        .cfi_offset x24, -104
        .cfi_offset x25, -96
        .cfi_offset x26, -88
        .cfi_offset x27, -80
        .cfi_offset x28, -72
        .cfi_offset d8, -64
        .cfi_offset d9, -56
        .cfi_offset d10, -48
        .cfi_offset d11, -40
        .cfi_offset d12, -32
        .cfi_offset d13, -24
        .cfi_offset d14, -16
        .cfi_offset d15, -8
        b       .Lend_call
        .cfi_endproc
        .size   spgc_protected_call_end, . - spgc_protected_call_end

        .section .data.rel.ro, "aw", @progbits
        .balign 8
.Lpersonality:
        .quad   spgc_protected_call_personality

        note_branch_protection
        .section .note.GNU-stack, "", @progbits
