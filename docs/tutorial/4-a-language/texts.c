/* Texts: made, joined, and split into words. */
#include "nib.h"

#include <string.h>

#include "spgc/allocate.h"
#include "spgc/handle.h"

const struct spgc_type nib_text_type = {.size = offsetof(struct text, bytes),
                                        .element_size = 1,
                                        .flags = SPGC_TYPE_TAIL,
                                        .name = "text"};

static struct text *text_of(struct spgc_ref text) {
  if (type_of(text) != &nib_text_type)
    nib_wrong("not a text", text);
  return spgc_ref_memory(text);
}

/* `bytes` lie outside the heap. */
struct spgc_ref nib_text(const char *bytes, uint64_t length) {
  struct spgc_ref text = spgc_allocate_array(&nib_text_type, length);
  memcpy(text_of(text)->bytes, bytes, length);
  return text;
}

struct spgc_ref nib_join(struct spgc_ref first, struct spgc_ref second) {
  uint64_t first_length = text_of(first)->length, second_length = text_of(second)->length;
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle kept_first = spgc_handle_make(first);
  struct spgc_handle kept_second = spgc_handle_make(second);
  struct spgc_ref joined = spgc_allocate_array(&nib_text_type, first_length + second_length);
  char *bytes = text_of(joined)->bytes;
  memcpy(bytes, text_of(spgc_handle_get(kept_first))->bytes, first_length);
  memcpy(bytes + first_length, text_of(spgc_handle_get(kept_second))->bytes, second_length);
  spgc_scope_close(scope);
  return joined;
}

static struct spgc_ref text_part(struct spgc_handle text, uint64_t start, uint64_t length) {
  struct spgc_ref part = spgc_allocate_array(&nib_text_type, length);
  memcpy(text_of(part)->bytes, text_of(spgc_handle_get(text))->bytes + start, length);
  return part;
}

/* Counts the bytes from `start` that are spaces, or that are not. */
static uint64_t run_of(const struct text *text, uint64_t start, bool spaces) {
  uint64_t end = start;
  while (end < text->length && (text->bytes[end] == ' ') == spaces)
    end++;
  return end - start;
}

/* A list of the words of a text. */
struct spgc_ref nib_words(struct spgc_ref text) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle kept = spgc_handle_make(text);
  struct spgc_handle word = spgc_handle_make(spgc_ref_null());
  struct spgc_handle first = spgc_handle_make(spgc_ref_null());
  struct spgc_handle last = spgc_handle_make(spgc_ref_null());
  uint64_t at = run_of(text_of(text), 0, true);
  while (at < text_of(spgc_handle_get(kept))->length) {
    uint64_t length = run_of(text_of(spgc_handle_get(kept)), at, false);
    spgc_handle_set(word, text_part(kept, at, length));
    struct spgc_ref ref = spgc_allocate(&nib_pair);
    struct pair *pair = spgc_ref_memory(ref), *end = spgc_ref_memory(spgc_handle_get(last));
    spgc_store(spgc_slot_at(&pair->head), spgc_handle_get(word));
    if (end)
      spgc_store(spgc_slot_at(&end->tail), ref);
    else
      spgc_handle_set(first, ref);
    spgc_handle_set(last, ref);
    at += length;
    at += run_of(text_of(spgc_handle_get(kept)), at, true);
  }
  struct spgc_ref list = spgc_handle_get(first);
  spgc_scope_close(scope);
  return list;
}
