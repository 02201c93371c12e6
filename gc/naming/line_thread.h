/* A thread that reads debug information. libdw may need more stack than a fiber has. Its
 * descriptors are its own, because the program may close any. */
#ifndef SPGC_GC_NAMING_LINE_THREAD_H
#define SPGC_GC_NAMING_LINE_THREAD_H

/* The caller holds no lock that `find` takes, and is stopped or not attached. Returns 0 or an errno
 * value. */
int spgc_line_thread_call(void (*find)(void *context), void *context);

/* Returns 0 or an errno value. */
int spgc_line_thread_own_descriptors(void);

#endif
