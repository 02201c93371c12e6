/* nib_words of chapter 4, for words of one letter, that stores without a barrier: wrong. */
#include "nib.h"

#include "spgc/allocate.h"
#include "spgc/handle.h"

static struct pair *pair_of(struct spgc_ref ref) {
  return spgc_ref_memory(ref);
}

struct spgc_ref nib_words(struct spgc_ref text) {
  uint64_t count = ((const struct text *)spgc_ref_memory(text))->length;
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  for (uint64_t i = 0; i < count; i++) {
    struct spgc_ref new_pair = spgc_allocate(&nib_pair);
    spgc_store(spgc_slot_at(&pair_of(new_pair)->tail), spgc_handle_get(list));
    spgc_handle_set(list, new_pair);
    struct spgc_ref word = nib_text("x", 1);     /* the pair may become old here, */
    pair_of(spgc_handle_get(list))->head = word; /* and the word is young */
  }
  struct spgc_ref words = spgc_handle_get(list);
  spgc_scope_close(scope);
  return words;
}
