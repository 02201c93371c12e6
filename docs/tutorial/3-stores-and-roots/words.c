/* Texts, and lists of them, made by C. */
#include "words.h"

#include <string.h>

#include "spgc/allocate.h"
#include "spgc/handle.h"

static const uint32_t pair_references[] = {offsetof(struct pair, head),
                                           offsetof(struct pair, tail)};
static const struct spgc_type pair_type = {.size = sizeof(struct pair),
                                           .reference_count = 2,
                                           .reference_offsets = pair_references,
                                           .name = "pair"};
static const struct spgc_type text_type = {.size = offsetof(struct text, bytes),
                                           .element_size = 1,
                                           .flags = SPGC_TYPE_TAIL,
                                           .name = "text"};

struct spgc_ref make_text(const char *bytes, size_t length) {
  struct spgc_ref ref = spgc_allocate_array(&text_type, length);
  struct text *text = spgc_ref_memory(ref);
  memcpy(text->bytes, bytes, length);
  return ref;
}

static struct spgc_slot head_of(struct spgc_ref pair) {
  return spgc_slot_at(&((struct pair *)spgc_ref_memory(pair))->head);
}

static struct spgc_slot tail_of(struct spgc_ref pair) {
  return spgc_slot_at(&((struct pair *)spgc_ref_memory(pair))->tail);
}

/* A list of the words of a C string. */
struct spgc_ref words(const char *string) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle first = spgc_handle_make(spgc_ref_null());
  struct spgc_handle last = spgc_handle_make(spgc_ref_null());
  struct spgc_handle text = spgc_handle_make(spgc_ref_null());
  while (*string) {
    size_t length = strcspn(string, " ");
    spgc_handle_set(text, make_text(string, length));
    struct spgc_ref pair = spgc_allocate(&pair_type); /* the text may move */
    spgc_store(head_of(pair), spgc_handle_get(text));
    if (spgc_ref_is_null(spgc_handle_get(first)))
      spgc_handle_set(first, pair);
    else
      spgc_store(tail_of(spgc_handle_get(last)), pair);
    spgc_handle_set(last, pair);
    string += length;
    string += strspn(string, " ");
  }
  struct spgc_ref list = spgc_handle_get(first);
  spgc_scope_close(scope);
  return list;
}

/* Neither allocates nor calls anything that might. */
int64_t length(struct spgc_ref list) {
  int64_t count = 0;
  for (; !spgc_ref_is_null(list); count++)
    list = ((const struct pair *)spgc_ref_memory(list))->tail;
  return count;
}
