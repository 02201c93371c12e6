/* Lines on standard error. */
#ifndef SPGC_GC_STATE_LOG_H
#define SPGC_GC_STATE_LOG_H

/* Prints "spgc: ...\n" in one write. */
void spgc_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
