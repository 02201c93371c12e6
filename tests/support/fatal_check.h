#ifndef SPGC_TESTS_FATAL_CHECK_H
#define SPGC_TESTS_FATAL_CHECK_H

/* `body`, in a child process, must abort with `message` on standard error. */
void check_is_fatal(void (*body)(void), const char *message);

/* Likewise for a child that a signal ends. */
void check_ends_by(void (*body)(void), int signal_number, const char *message);

#endif
