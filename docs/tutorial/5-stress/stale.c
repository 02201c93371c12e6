/* nib_join of chapter 4 without its handles: wrong. */
#include "nib.h"

#include <string.h>

#include "spgc/allocate.h"

struct spgc_ref nib_join(struct spgc_ref first, struct spgc_ref second) {
  const struct text *a = spgc_ref_memory(first), *b = spgc_ref_memory(second);
  struct spgc_ref joined = spgc_allocate_array(&nib_text_type, a->length + b->length);
  struct text *text = spgc_ref_memory(joined);
  memcpy(text->bytes, a->bytes, a->length);
  memcpy(text->bytes + a->length, b->bytes, b->length);
  return joined;
}
