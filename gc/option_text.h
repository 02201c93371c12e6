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

bool spgc_span_skip(struct spgc_span *span, const char *word);

/* Splits at the last occurrence of the word. */
bool spgc_span_split(struct spgc_span *span, const char *word, struct spgc_span *rest);

/* "USR2" or "SIGUSR2"; 0 if unknown. */
int spgc_span_signal(struct spgc_span span);

bool spgc_span_digits(struct spgc_span *span, uint64_t *number);

/* size := digits [ ( "k" | "m" | "g" ) [ "b" | "ib" ] | "b" ]     in either case: powers of 1024 */
bool spgc_span_size(struct spgc_span span, size_t *size);

/* probability := digits [ "." digits ]     above 0, at most 1, with at most 9 decimal places */
bool spgc_span_probability(struct spgc_span span, double *probability);

/* A NUL-terminated copy, kept until the process ends; NULL if out of memory. Equal texts share one,
 * so parsing again takes no memory. Any thread. */
const char *spgc_span_keep(struct spgc_span span);

#endif
