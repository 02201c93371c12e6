/* Standard input as a stream whose reads control-C can end. */
#ifndef LOX_RUNTIME_INPUT_H
#define LOX_RUNTIME_INPUT_H

#include <stdio.h>

/* The one buffer of standard input: the driver and read_line() share it. A read fails with EINTR
 * when SIGINT asked to end the run (runtime/interrupt.h). NULL when out of memory. */
FILE *lox_input(void);

#endif
