/* Completion of names at a terminal: keywords and global variables; after a dot, the names of
 * properties and methods. */
#ifndef LOX_DRIVER_COMPLETION_H
#define LOX_DRIVER_COMPLETION_H

#include "frontend-demo/driver/machine.h"

/* Names come from the machine from now on. NULL ends that. */
void lox_completion_begin(const struct lox_machine *machine);

#endif
