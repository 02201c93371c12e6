#include "stackwalk/aarch64/save_registers.inc"

/* spgc_stack_suspend (spgc/stackwalk.h): saves every register that calls preserve, and continues in
 * C with their address. */
        .text
        .balign 16
        .globl  spgc_stack_suspend
        .type   spgc_stack_suspend, @function
spgc_stack_suspend:
        .cfi_startproc
        entry
        save_registers
        mov     x3, sp
        bl      spgc_stack_run_suspended
        restore_registers
        ret
        .cfi_endproc
        .size   spgc_stack_suspend, . - spgc_stack_suspend

        note_branch_protection
        .section .note.GNU-stack, "", @progbits
