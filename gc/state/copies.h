/* Copies of this library in one process: an executable may have the archive, and a plugin its own
 * or the shared library. Each has its own heap and threads, and code linked with one does not know
 * the other's. */
#ifndef SPGC_GC_STATE_COPIES_H
#define SPGC_GC_STATE_COPIES_H

enum { SPGC_COPY_TEXT_BYTES = 512 };

/* If another copy's heap is started and not this one's, the end of a message, which begins with ";
 * ", names that copy's file, and says what to do; else an empty text. Takes the loader's lock: the
 * caller holds no lock. */
const char *spgc_copies_explain(char text[SPGC_COPY_TEXT_BYTES]);

#endif
