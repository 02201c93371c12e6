#include "gc/option_text.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool spgc_span_is(struct spgc_span span, const char *word) {
  return strlen(word) == span.length && memcmp(span.start, word, span.length) == 0;
}

bool spgc_span_skip(struct spgc_span *span, const char *word) {
  size_t length = strlen(word);
  if (span->length < length || memcmp(span->start, word, length) != 0)
    return false;
  span->start += length;
  span->length -= length;
  return true;
}

bool spgc_span_split(struct spgc_span *span, const char *word, struct spgc_span *rest) {
  size_t length = strlen(word);
  for (size_t at = span->length; at-- != 0;)
    if (span->length - at >= length && memcmp(span->start + at, word, length) == 0) {
      *rest = (struct spgc_span){span->start + at + length, span->length - at - length};
      span->length = at;
      return true;
    }
  return false;
}

int spgc_span_signal(struct spgc_span span) {
  spgc_span_skip(&span, "SIG");
  for (int signal = 1; signal < NSIG; signal++) {
    const char *name = sigabbrev_np(signal);
    if (name != NULL && spgc_span_is(span, name))
      return signal;
  }
  return 0;
}

bool spgc_span_digits(struct spgc_span *span, uint64_t *number) {
  size_t used = 0;
  *number = 0;
  for (; used < span->length && span->start[used] >= '0' && span->start[used] <= '9'; used++)
    if (__builtin_mul_overflow(*number, UINT64_C(10), number) ||
        __builtin_add_overflow(*number, (uint64_t)(span->start[used] - '0'), number))
      return false;
  span->start += used;
  span->length -= used;
  return used != 0;
}

bool spgc_span_size(struct spgc_span value, size_t *size) {
  static const char *const units[][4] = {{"", "b", NULL},
                                         {"k", "kb", "kib", NULL},
                                         {"m", "mb", "mib", NULL},
                                         {"g", "gb", "gib", NULL}};
  uint64_t number;
  if (!spgc_span_digits(&value, &number))
    return false;
  for (size_t power = 0; power < sizeof units / sizeof *units; power++)
    for (const char *const *unit = units[power]; *unit != NULL; unit++)
      if (strlen(*unit) == value.length && strncasecmp(value.start, *unit, value.length) == 0)
        return !__builtin_mul_overflow(number, UINT64_C(1) << 10 * power, size);
  return false;
}

bool spgc_span_probability(struct spgc_span value, double *probability) {
  enum { MOST_PLACES = 9, UNITS = 1000000000 };
  uint64_t whole, places = 0, unit = UNITS;
  if (!spgc_span_digits(&value, &whole) || whole > 1)
    return false;
  if (spgc_span_skip(&value, ".")) {
    size_t length = value.length;
    if (length > MOST_PLACES || !spgc_span_digits(&value, &places))
      return false;
    for (size_t i = 0; i < length; i++)
      unit /= 10;
  }
  uint64_t units = whole * UNITS + places * unit;
  *probability = (double)units / UNITS;
  return value.length == 0 && units != 0 && units <= UNITS;
}

struct kept {
  struct kept *next;
  char text[];
};

static _Atomic(struct kept *) all; /* only grows, at its front */

static const char *find(const struct kept *from, struct spgc_span span) {
  for (; from != NULL; from = from->next)
    if (spgc_span_is(span, from->text))
      return from->text;
  return NULL;
}

const char *spgc_span_keep(struct spgc_span span) {
  struct kept *first = atomic_load(&all);
  const char *found = find(first, span);
  if (found != NULL)
    return found;
  struct kept *kept = malloc(sizeof *kept + span.length + 1);
  if (kept == NULL)
    return NULL;
  memcpy(kept->text, span.start, span.length);
  kept->text[span.length] = '\0';
  kept->next = first;
  while (!atomic_compare_exchange_weak(&all, &kept->next, kept))
    ;
  return kept->text;
}
