#ifndef SPGC_GC_OPTION_TEXT_H
#define SPGC_GC_OPTION_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spgc_span {
  const char *start;
  size_t length;
};

bool spgc_span_is(struct spgc_span span, const char *word);

/* Past the word, if the span begins with it. */
bool spgc_span_skip(struct spgc_span *span, const char *word);

/* At the last occurrence of the word. */
bool spgc_span_split(struct spgc_span *span, const char *word, struct spgc_span *rest);

/* As in "USR2" or "SIGUSR2"; or 0. */
int spgc_span_signal(struct spgc_span span);

/* Past the decimal digits of a 64-bit number. */
bool spgc_span_digits(struct spgc_span *span, uint64_t *number);

/* size := digits [ ( "k" | "m" | "g" ) [ "b" | "ib" ] | "b" ]     in either case: powers of 1024 */
bool spgc_span_size(struct spgc_span span, size_t *size);

/* probability := digits [ "." digits ]     above 0, at most 1, with at most 9 decimal places */
bool spgc_span_probability(struct spgc_span span, double *probability);

/* A NUL-terminated copy, kept until the process ends. Equal texts share one, so that parsing again
 * takes no more memory. NULL if out of memory. Any thread. */
const char *spgc_span_keep(struct spgc_span span);

#endif
