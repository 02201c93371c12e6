/* Threads that read debug information (gc/naming/code_line.h).
 *
 * Such a thread has a stack as large as the program's threads have by default, because libdw takes
 * more than a fiber's stack may have. It has descriptors of its own, except the standard streams,
 * because the program may close any of its descriptors and use the number again.
 */
#ifndef SPGC_GC_NAMING_LINE_THREAD_H
#define SPGC_GC_NAMING_LINE_THREAD_H

/* Calls find(context) on such a thread and waits for its end. The caller holds no lock that `find`
 * takes, and counts as stopped or is not attached. Returns 0; otherwise `find` was not called, and
 * the result is the errno value that says why. */
int spgc_line_thread_call(void (*find)(void *context), void *context);

/* Gives the calling thread, which belongs to the library, descriptors of its own. Returns 0 or an
 * errno value. */
int spgc_line_thread_own_descriptors(void);

#endif
