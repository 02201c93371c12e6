/* A file is opened for each line. So the library keeps no descriptor that the program might close
 * and reuse, and a forked child whose file has its own name creates it. A line that cannot be
 * written there goes to standard error, after a message that says why. */
#ifndef SPGC_SUPPORT_LOG_H
#define SPGC_SUPPORT_LOG_H

#include <inttypes.h>

/* By default shorter waits of threads are not logged. */
enum { SPGC_LEAST_LOGGED_NS = 10000000 };

/* Three decimals, truncated. */
#define SPGC_LOG_DECIMAL "%" PRIu64 ".%03" PRIu64
#define SPGC_LOG_MS(ns) ((ns) / 1000000), ((ns) / 1000 % 1000)
#define SPGC_LOG_SECONDS(ns) ((ns) / 1000000000), ((ns) / 1000000 % 1000)

/* NULL means standard error; so does, after a message, a file that cannot be opened. A file is
 * created, or appended to. Other threads may log meanwhile. Needs the world locked. */
void spgc_log_begin(const char *path);

/* Called in a forked child, whose file gets its own name. */
void spgc_log_renew(void);

/* One system call. Long lines are cut. Any thread; async-signal-safe. */
void spgc_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Also to standard error, because the process ends or hangs. */
void spgc_log_aloud(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
