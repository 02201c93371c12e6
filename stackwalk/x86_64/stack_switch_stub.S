/* The frames of stack_switch.h. */
#include "stackwalk/stack_switch.h"
#include "stackwalk/x86_64/save_registers.inc"

#define DW_EH_PE_indirect_pcrel_sdata4 0x9b

/* spgc_stack_switch(from, to, value). It saves the control words of both floating-point units, too,
 * because calls preserve them. */
        .text
        .balign 16
        .globl  spgc_stack_switch
        .hidden spgc_stack_switch
        .type   spgc_stack_switch, @function
spgc_stack_switch:
        .cfi_startproc
        save_registers
        subq    $8, %rsp
        .cfi_adjust_cfa_offset 8
        stmxcsr (%rsp)
        fnstcw  4(%rsp)
        movq    %rsp, LEFT_STACK_POINTER(%rdi)
        movq    LEFT_STACK_POINTER(%rsi), %rsp
        ldmxcsr (%rsp)
        fldcw   4(%rsp)
        movq    %rdx, %rax
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
        restore_registers
        ret
        .cfi_endproc
        .size   spgc_stack_switch, . - spgc_stack_switch

/* The first switch "returns" here: %rbx is the function, %r12 its argument, %rax the value.
 * Unwinding ends here. */
        .balign 16
        .globl  spgc_stack_start
        .hidden spgc_stack_start
        .type   spgc_stack_start, @function
spgc_stack_start:
        .cfi_startproc
        .cfi_personality DW_EH_PE_indirect_pcrel_sdata4, .Lpersonality
        .cfi_undefined %rip
        movq    %r12, %rdi
        movq    %rax, %rsi
        call    *%rbx
        ud2
        .cfi_endproc
        .size   spgc_stack_start, . - spgc_stack_start

        .section .data.rel.ro, "aw", @progbits
        .balign 8
.Lpersonality:
        .quad   spgc_stack_start_personality

        .section .note.GNU-stack, "", @progbits
