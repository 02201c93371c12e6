/* The log: lines on standard error, or in a file. observe/log/log_events.c has the lines of
 * collections and other events.
 *
 * A file is opened for each line and closed again. So the library keeps no descriptor that the
 * program might close and reuse, and a forked child whose file has its own name creates it by
 * itself. A line that cannot be written to the file goes to standard error; the first such line
 * follows a message with the reason. */
#ifndef SPGC_SUPPORT_LOG_H
#define SPGC_SUPPORT_LOG_H

#include <inttypes.h>

/* Milliseconds or seconds with three decimals, truncated: the format, and its arguments. */
#define SPGC_LOG_DECIMAL "%" PRIu64 ".%03" PRIu64
#define SPGC_LOG_MS(ns) ((ns) / 1000000), ((ns) / 1000 % 1000)
#define SPGC_LOG_SECONDS(ns) ((ns) / 1000000000), ((ns) / 1000000 % 1000)

/* Sends the log to a file, until the next call; NULL: to standard error. A relative path is
 * relative to the current working directory. The file is created, or lines are appended. If it
 * cannot be opened, a message says so, and the log goes to standard error. Other threads may log to
 * either file during the call. With the world locked. */
void spgc_log_begin(const char *path);

/* In the child of a fork: gives the file its name in this process. */
void spgc_log_renew(void);

/* Writes "spgc: ...\n" by one system call. Longer lines are cut. Any thread; async-signal-safe. */
void spgc_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Also writes the line on standard error if the log goes to a file: the process ends, or hangs. */
void spgc_log_aloud(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
