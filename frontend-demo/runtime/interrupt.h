/* Control-C in a session ends the run, not the process.
 *
 * The signal's handler runs in the thread that runs Lox (another thread passes the signal on), and
 * only records the request. Loops see it at their polls. Calls see it at their stack check, because
 * the handler moves the stack's limit beyond every stack. The program cannot catch it. */
#ifndef LOX_RUNTIME_INTERRUPT_H
#define LOX_RUNTIME_INTERRUPT_H

#include <stdbool.h>
#include <stdio.h>

#include "spgc/thread.h"

/* SIGINT ends runs between these calls, and polls call `hook`. */
void lox_interrupts_accept(spgc_interrupt_hook hook);
void lox_interrupts_refuse(void);

/* Called by the thread that runs Lox, attached and with a stack limit. */
void lox_interrupts_begin_run(void);
void lox_interrupts_end_run(void);

/* True, once, if SIGINT asked to end the run. */
bool lox_interrupts_take(void);

/* Standard input, with a buffer for the driver and read_line(). A read fails with EINTR if SIGINT
 * asked to end the run. NULL without memory. */
FILE *lox_input(void);

#endif
