/* A shadow stack repeats the return addresses; a return to any other ends the process. So a thread
 * with one gets no return barriers, and cannot use fibers, spgc_leave or spgc_unwind. */
#ifndef SPGC_STACKWALK_SHADOW_STACK_H
#define SPGC_STACKWALK_SHADOW_STACK_H

#include <stdbool.h>

/* Never changes: glibc turns shadow stacks on before the program's code runs, and threads inherit
 * them. */
bool spgc_shadow_stack_is_on(void);

#define SPGC_SHADOW_STACK_REMEDY                                                                   \
  "the thread has a shadow stack, and a function may only return to where it was called from; "    \
  "link the program without -z shstk, or set GLIBC_TUNABLES=glibc.cpu.x86_shstk=off (on AArch64, " \
  "glibc.cpu.aarch64_gcs=0)"

#endif
