/* The frames of stack_switch.h. */
#include "stackwalk/stack_switch.h"
#include "stackwalk/aarch64/save_registers.inc"

#define DW_EH_PE_indirect_pcrel_sdata4 0x9b

/* spgc_stack_switch(from, to, value). It saves the control word of the floating-point unit, too,
 * because calls preserve it. */
        .text
        .balign 16
        .globl  spgc_stack_switch
        .hidden spgc_stack_switch
        .type   spgc_stack_switch, @function
spgc_stack_switch:
        .cfi_startproc
        entry
        save_registers
        mrs     x9, fpcr
        str     x9, [sp, #-16]!
        .cfi_adjust_cfa_offset 16
        mov     x9, sp
        str     x9, [x0, #LEFT_STACK_POINTER]
        ldr     x9, [x1, #LEFT_STACK_POINTER]
        mov     sp, x9
        ldr     x9, [sp], #16
        .cfi_adjust_cfa_offset -16
        msr     fpcr, x9
        mov     x0, x2
        restore_registers
        ret
        .cfi_endproc
        .size   spgc_stack_switch, . - spgc_stack_switch

/* The first switch "returns" here: x19 is the function, x20 its argument, x0 the value. Unwinding
 * ends here. */
        .balign 16
        .globl  spgc_stack_start
        .hidden spgc_stack_start
        .type   spgc_stack_start, @function
spgc_stack_start:
        .cfi_startproc
        .cfi_personality DW_EH_PE_indirect_pcrel_sdata4, .Lpersonality
        .cfi_undefined x30
        mov     x1, x0
        mov     x0, x20
        blr     x19
        brk     #0
        .cfi_endproc
        .size   spgc_stack_start, . - spgc_stack_start

        .section .data.rel.ro, "aw", @progbits
        .balign 8
.Lpersonality:
        .quad   spgc_stack_start_personality

        note_branch_protection
        .section .note.GNU-stack, "", @progbits
