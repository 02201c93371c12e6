/* The frame of protected_call.h that holds the callee-saved registers. */
#include "stackwalk/protected_call.h"
#include "stackwalk/x86_64/save_registers.inc"

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
        save_registers
        pushq   %rdx                    /* for protected_call_of_frame; aligns the stack */
        .cfi_adjust_cfa_offset 8
        movq    %rsp, PROTECTED_CALL_STACK_POINTER(%rdx)
        movq    %rdi, %rax
        movq    %rsi, %rdi
        call    *%rax
        xorl    %edx, %edx
.Lend_call:
        addq    $8, %rsp
        .cfi_adjust_cfa_offset -8
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
        movq    %rsi, %rax
        movl    $1, %edx
        movq    PROTECTED_CALL_STACK_POINTER(%rdi), %rsp
        .cfi_def_cfa_offset 64
        .cfi_offset %rbp, -16
        .cfi_offset %rbx, -24
        .cfi_offset %r12, -32
        .cfi_offset %r13, -40
        .cfi_offset %r14, -48
        .cfi_offset %r15, -56
        jmp     .Lend_call
        .cfi_endproc
        .size   spgc_protected_call_end, . - spgc_protected_call_end

        .section .data.rel.ro, "aw", @progbits
        .balign 8
.Lpersonality:
        .quad   spgc_protected_call_personality

        .section .note.GNU-stack, "", @progbits
