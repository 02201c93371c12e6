#include "gc/roots/ranges.h"

#include "gc/mutator/misuse.h"
#include "gc/state/locks.h"
#include "spgc/roots.h"

/* Under SPGC_LOCK_MODULES. Words and counts are the program's, read with the world stopped. */
static struct spgc_roots *ranges;

static struct spgc_roots **find(const struct spgc_roots *roots) {
  struct spgc_roots **link = &ranges;
  while (*link != NULL && *link != roots)
    link = &(*link)->next;
  return link;
}

void spgc_roots_add(struct spgc_roots *roots) {
  spgc_require_use(roots != NULL, "no range of roots is given");
  spgc_require_use((roots->reserved[0] | roots->reserved[1]) == 0,
                   "the range has `reserved` members that are not 0: clear the structure first");
  spgc_lock(SPGC_LOCK_MODULES);
  bool is_new = *find(roots) == NULL;
  if (is_new) {
    roots->next = ranges;
    ranges = roots;
  }
  spgc_unlock(SPGC_LOCK_MODULES);
  spgc_require_use(is_new, "the range of roots is added already");
}

void spgc_roots_remove(struct spgc_roots *roots) {
  spgc_lock(SPGC_LOCK_MODULES);
  struct spgc_roots **link = find(roots);
  if (*link != NULL) {
    *link = roots->next;
    roots->next = NULL;
  }
  spgc_unlock(SPGC_LOCK_MODULES);
}

bool spgc_ranges_exist(void) {
  spgc_lock(SPGC_LOCK_MODULES);
  bool exist = ranges != NULL;
  spgc_unlock(SPGC_LOCK_MODULES);
  return exist;
}

uint64_t spgc_ranges_visit(enum spgc_nulls nulls, spgc_root_visitor visit, void *context) {
  uint64_t words = 0;
  spgc_lock(SPGC_LOCK_MODULES);
  for (const struct spgc_roots *range = ranges; range != NULL; range = range->next) {
    spgc_root_words_visit(range->first, range->count, nulls, visit, context,
                          range->name != NULL ? range->name : "range of roots");
    words += range->count;
  }
  spgc_unlock(SPGC_LOCK_MODULES);
  return words;
}
