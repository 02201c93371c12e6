/* Finds the runtime libraries that executables are linked with. */
#ifndef LOX_DRIVER_LIBRARIES_H
#define LOX_DRIVER_LIBRARIES_H

#include <stdbool.h>

enum lox_library {
  LOX_LIBRARY_MAIN,    /* the main function */
  LOX_LIBRARY_RUNTIME, /* the functions that generated Lox calls */
  LOX_LIBRARY_GC,      /* the collector */
  LOX_LIBRARY_COUNT,
};

/* The caller must free the paths with lox_libraries_free, also after a failure. */
struct lox_libraries {
  const char *target; /* the triple of the machine that they are for; NULL: this one */
  char *paths[LOX_LIBRARY_COUNT];
};

/* Looks in this executable's build tree, then in its installation. The tree has the libraries of
 * another machine in a build for it, cross-PROCESSOR, and the installation in lib/TRIPLE. False,
 * with a message on standard error, when a library is in neither. */
bool lox_libraries_find(const char *target, struct lox_libraries *libraries);
void lox_libraries_free(struct lox_libraries *libraries);

#endif
