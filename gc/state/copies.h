/* Copies of this library in one process: an executable has the archive, say, and a plugin its own
 * or the shared library. Each has a heap and threads of its own, and code that was linked with one
 * knows nothing of the other's. */
#ifndef SPGC_GC_STATE_COPIES_H
#define SPGC_GC_STATE_COPIES_H

enum { SPGC_COPY_TEXT_BYTES = 512 };

/* Where the heap of this copy is not started, but that of another is: writes the end of a message,
 * which begins with "; ", names that copy's file, and says what to do. Otherwise writes an empty
 * text. Takes the loader's lock: the caller holds no lock. Returns the text. */
const char *spgc_copies_explain(char text[SPGC_COPY_TEXT_BYTES]);

#endif
