/* The log: lines on standard error. */
#ifndef SPGC_GC_STATE_LOG_H
#define SPGC_GC_STATE_LOG_H

/* Writes "spgc: ...\n" by one system call. Longer lines are cut off. */
void spgc_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
