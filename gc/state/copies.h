/* Copies of this library in one process, as of an executable and a plugin. Each has its own heap
 * and threads. */
#ifndef SPGC_GC_STATE_COPIES_H
#define SPGC_GC_STATE_COPIES_H

enum { SPGC_COPY_TEXT_BYTES = 512 };

/* If another copy's heap is started and not this one's, the end of a message ("; ...") that names
 * that copy's file and the remedy; else "". Takes the loader's lock: the caller holds no lock. */
const char *spgc_copies_explain(char text[SPGC_COPY_TEXT_BYTES]);

#endif
