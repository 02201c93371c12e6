#include "stackwalk/x86_64/save_registers.inc"

/* spgc_stack_suspend (spgc/stackwalk.h): saves every callee-saved register, and continues in C with
 * their address. */
        .text
        .balign 16
        .globl  spgc_stack_suspend
        .type   spgc_stack_suspend, @function
spgc_stack_suspend:
        .cfi_startproc
        save_registers
        movq    %rsp, %rcx
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        call    spgc_stack_run_suspended
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        restore_registers
        ret
        .cfi_endproc
        .size   spgc_stack_suspend, . - spgc_stack_suspend

        .section .note.GNU-stack, "", @progbits
