/* The log: lines on standard error, or in a file. observe/log/log_events.c has what they say of
 * collections and other events.
 *
 * A file is opened for each line and closed behind it. So the library keeps no descriptor that the
 * program might close and use again, and a forked child that has a file of its own name begins it
 * by itself. A line that cannot be written to the file goes to standard error; the first such line
 * follows a message that says why.
 */
#ifndef SPGC_SUPPORT_LOG_H
#define SPGC_SUPPORT_LOG_H

#include <inttypes.h>

/* A time as milliseconds or seconds with three decimals, cut off: the format, and its arguments. */
#define SPGC_LOG_DECIMAL "%" PRIu64 ".%03" PRIu64
#define SPGC_LOG_MS(ns) ((ns) / 1000000), ((ns) / 1000 % 1000)
#define SPGC_LOG_SECONDS(ns) ((ns) / 1000000000), ((ns) / 1000000 % 1000)

/* Lets the log go to a file, until the next call; NULL: to standard error. A relative path belongs
 * to the present working directory, whatever it becomes. The file is made, or stays as it is: lines
 * are appended. If it cannot be opened, a message says so, and the log goes to standard error.
 * Other threads may log meanwhile: to either file. With the world locked. */
void spgc_log_begin(const char *path);

/* Gives the file the name that it has in this process, in the child of a fork. */
void spgc_log_renew(void);

/* Writes "spgc: ...\n" by one system call. Longer lines are cut off. Any thread; async-signal-safe.
 */
void spgc_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Writes the line on standard error, too, if the log goes to a file: the process ends, or hangs. */
void spgc_log_aloud(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
