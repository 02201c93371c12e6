#include "gc/option_paths.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct kept {
  struct kept *next;
  char text[];
};

static _Atomic(struct kept *) all; /* only grows, at its front */

static const char *find(const struct kept *from, const char *text, size_t length) {
  for (; from != NULL; from = from->next)
    if (strlen(from->text) == length && memcmp(from->text, text, length) == 0)
      return from->text;
  return NULL;
}

const char *spgc_option_path_keep(const char *text, size_t length) {
  struct kept *first = atomic_load(&all);
  const char *found = find(first, text, length);
  if (found != NULL)
    return found;
  struct kept *kept = malloc(sizeof *kept + length + 1);
  if (kept == NULL)
    return NULL;
  memcpy(kept->text, text, length);
  kept->text[length] = '\0';
  kept->next = first;
  while (!atomic_compare_exchange_weak(&all, &kept->next, kept))
    ;
  return kept->text;
}
