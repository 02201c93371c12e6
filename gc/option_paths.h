/* Texts of options that outlive the text they were parsed from: names of files. */
#ifndef SPGC_GC_OPTION_PATHS_H
#define SPGC_GC_OPTION_PATHS_H

#include <stddef.h>

/* A copy of the text that ends in NUL and is kept until the process ends. The same text is kept
 * once, so that parsing options again takes no more memory. NULL when out of memory. Any thread. */
const char *spgc_option_path_keep(const char *text, size_t length);

#endif
