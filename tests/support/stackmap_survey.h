/* Reads arbitrary bytes in every possible way. Aborts (spgc_require) unless each gives an error
 * with a reason and a position inside the bytes, or contents that keep the headers' promises. */
#ifndef SPGC_TESTS_STACKMAP_SURVEY_H
#define SPGC_TESTS_STACKMAP_SURVEY_H

#include <stdbool.h>
#include <stddef.h>

/* As a section: with the reader in both byte orders, and with registration's parser, also for a
 * caller that knows version 1's owners. True if registration accepts it. */
bool survey_section(const unsigned char *bytes, size_t size);

/* As a file, and its sections as above. True if all can be read. */
bool survey_file(const unsigned char *bytes, size_t size);

#endif
