/* Words, numbers and sizes in the text of options. */
#ifndef SPGC_GC_OPTION_TEXT_H
#define SPGC_GC_OPTION_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Part of the text being parsed. */
struct spgc_span {
  const char *start;
  size_t length;
};

/* Whether the text is the word. */
bool spgc_span_is(struct spgc_span span, const char *word);

/* The number of the word that the text is; -1 if it is none of them. */
int spgc_span_choose(struct spgc_span value, const char *const *words, int count);

/* Moves `span` behind the word, if it begins with it. */
bool spgc_span_skip(struct spgc_span *span, const char *word);

/* Cuts the text where the word stands last; `rest` is what is behind it. False if it does not. */
bool spgc_span_split(struct spgc_span *span, const char *word, struct spgc_span *rest);

/* The number of the signal that the text names, as in "USR2" or "SIGUSR2"; 0: none. */
int spgc_span_signal(struct spgc_span span);

/* Parses decimal digits of a 64-bit number, and moves `span` behind them. */
bool spgc_span_digits(struct spgc_span *span, uint64_t *number);

/* size := digits [ ( "k" | "m" | "g" ) [ "b" | "ib" ] | "b" ]     in either case: powers of 1024 */
bool spgc_span_size(struct spgc_span span, size_t *size);

/* probability := digits [ "." digits ]     above 0, at most 1, with at most 9 decimal places */
bool spgc_span_probability(struct spgc_span span, double *probability);

#endif
