/* What exit_main.c has done at the end of the process. */
#ifndef SPGC_TESTS_LINGER_H
#define SPGC_TESTS_LINGER_H

__attribute__((visibility("default"))) extern void (*linger)(void);

#endif
