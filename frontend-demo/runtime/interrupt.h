/* Control-C while Lox runs: in a session it ends what runs, not the process.
 *
 * The signal's handler runs in the thread that runs Lox (elsewhere it passes the signal on) and
 * cannot do more than ask. Loops see the request at their polls; calls at their stack check,
 * because it moves the stack's limit beyond every stack. Then the run ends: no handler of the
 * program catches it.
 */
#ifndef LOX_RUNTIME_INTERRUPT_H
#define LOX_RUNTIME_INTERRUPT_H

/* From the first to the second, SIGINT does what is told above; between runs, nothing. */
void lox_interrupts_accept(void);
void lox_interrupts_refuse(void);

/* By the thread that runs Lox, when a run begins, after it attached and has a stack limit; and when
 * it ends. */
void lox_interrupts_begin_run(void);
void lox_interrupts_end_run(void);

/* Ends the run if SIGINT asked for it. */
void lox_interrupts_check(void);

/* Between these, the thread's system calls end with EINTR when the signal comes; otherwise they go
 * on. */
void lox_interrupts_begin_wait(void);
void lox_interrupts_end_wait(void);

#endif
