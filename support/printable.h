/* Prints text from files and command lines safely in error messages on a terminal. */
#ifndef SPGC_SUPPORT_PRINTABLE_H
#define SPGC_SUPPORT_PRINTABLE_H

#include <stdio.h>

/* Writes `text`. Bytes that are neither printable UTF-8 nor a newline or tab become \xNN, so that
 * no escape sequence of a binary file reaches a terminal. */
void spgc_print_printable(FILE *stream, const char *text);

#endif
