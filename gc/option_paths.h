#ifndef SPGC_GC_OPTION_PATHS_H
#define SPGC_GC_OPTION_PATHS_H

#include <stddef.h>

/* A NUL-terminated copy of the text, such as a file's name, that is kept until the process ends.
 * Equal texts are kept once, so that parsing options again takes no more memory. NULL if out of
 * memory. Any thread. */
const char *spgc_option_path_keep(const char *text, size_t length);

#endif
