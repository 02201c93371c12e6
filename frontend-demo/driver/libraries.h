/* Where the runtime libraries are that executables are linked with. */
#ifndef LOX_DRIVER_LIBRARIES_H
#define LOX_DRIVER_LIBRARIES_H

#include <stdbool.h>

enum lox_library {
  LOX_LIBRARY_MAIN,    /* the main function */
  LOX_LIBRARY_RUNTIME, /* what generated Lox calls */
  LOX_LIBRARY_GC,      /* the collector */
  LOX_LIBRARY_COUNT,
};

/* The caller frees the paths with lox_libraries_free, also after a failure. */
struct lox_libraries {
  char *paths[LOX_LIBRARY_COUNT];
};

/* Looks in the build tree this executable lies in, then in the installation it belongs to. False,
 * with a message on standard error, when a library is in neither. */
bool lox_libraries_find(struct lox_libraries *libraries);
void lox_libraries_free(struct lox_libraries *libraries);

#endif
