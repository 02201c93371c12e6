/* nib_words of chapter 4, for words of one letter, with a stale reference in `word`: wrong. */
#include "nib.h"

#include "spgc/allocate.h"
#include "spgc/handle.h"

struct spgc_ref nib_words(struct spgc_ref text) {
  uint64_t count = ((const struct text *)spgc_ref_memory(text))->length;
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  for (uint64_t i = 0; i < count; i++) {
    struct spgc_ref word = nib_text("x", 1);
    struct spgc_ref ref = spgc_allocate(&nib_pair); /* `word` is stale from here on */
    struct pair *pair = spgc_ref_memory(ref);
    spgc_store(spgc_slot_at(&pair->head), word);
    spgc_store(spgc_slot_at(&pair->tail), spgc_handle_get(list));
    spgc_handle_set(list, ref);
  }
  struct spgc_ref words = spgc_handle_get(list);
  spgc_scope_close(scope);
  return words;
}
