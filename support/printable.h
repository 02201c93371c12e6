#ifndef SPGC_SUPPORT_PRINTABLE_H
#define SPGC_SUPPORT_PRINTABLE_H

#include <stdio.h>

/* Bytes other than printable UTF-8, newline and tab become \xNN, so that no escape sequence reaches
 * a terminal. */
void spgc_print_printable(FILE *stream, const char *text);

#endif
