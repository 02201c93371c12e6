/* Threads that read debug information (gc/naming/code_line.h). Such a thread has a stack of the
 * program's default size, because libdw may need more than a fiber's stack. It has its own
 * descriptors, except the standard streams, because the program may close any descriptor and reuse
 * its number. */
#ifndef SPGC_GC_NAMING_LINE_THREAD_H
#define SPGC_GC_NAMING_LINE_THREAD_H

/* Calls find(context) on such a thread and waits for its end. The caller holds no lock that `find`
 * takes, and counts as stopped or is not attached. Returns 0, or an errno value. */
int spgc_line_thread_call(void (*find)(void *context), void *context);

/* For a thread of the library. Returns 0 or an errno value. */
int spgc_line_thread_own_descriptors(void);

#endif
