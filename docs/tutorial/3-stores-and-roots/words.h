/* What words.c, kept.ll and main.c know of each other. */
#ifndef WORDS_H
#define WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/type.h"

struct pair {
  const struct spgc_type *type;
  struct spgc_ref head, tail;
};

struct text {
  const struct spgc_type *type;
  uint64_t length;
  char bytes[];
};

int64_t keep(const char *string); /* kept.ll */
struct spgc_ref kept_words(void);
void set_first(struct spgc_ref words, struct spgc_ref text);

struct spgc_ref make_text(const char *bytes, size_t length); /* words.c */
struct spgc_ref words(const char *string);
int64_t length(struct spgc_ref list);

#endif
