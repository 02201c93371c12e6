/* Two files of one program: one searches a table, the other uses it. */
#ifdef PLAIN
#define SPGC_MANAGED
#define SPGC_LEAF
struct spgc_type;
#else
#include "spgc/managed.h"
#endif

typedef struct table SPGC_MANAGED *table;
struct table {
  const struct spgc_type *type;
  unsigned long length;
  struct {
    table key;
    long value;
  } at[];
};

SPGC_LEAF unsigned long find(table in, table key, unsigned long hash);

#ifdef SEARCH
unsigned long find(table in, table key, unsigned long hash) {
  unsigned long i = hash & (in->length - 1);
  while (in->at[i].key != key && in->at[i].key)
    i = (i + 1) & (in->length - 1);
  return i;
}
#else
long sum(table in, table *keys, long count);

long sum(table in, table *keys, long count) {
  long sum = 0;
  for (long i = 0; i < count; i++)
    sum += in->at[find(in, keys[i], (unsigned long)i)].value;
  return sum;
}
#endif
