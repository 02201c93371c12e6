/* Keeps lists in the two kinds of roots that outlive a function. */
#include "words.h"

#include <stdio.h>
#include <stdlib.h>

#include "spgc/handle.h"
#include "spgc/heap.h"
#include "spgc/main.h"

static void print(struct spgc_ref list) {
  while (!spgc_ref_is_null(list)) {
    const struct pair *pair = spgc_ref_memory(list);
    const struct text *text = spgc_ref_memory(pair->head);
    list = pair->tail;
    printf("%.*s%c", (int)text->length, text->bytes, spgc_ref_is_null(list) ? '\n' : ' ');
  }
}

static void run(void *status) {
  printf("%d words\n", (int)keep("the quick brown fox"));
  struct spgc_handle other = spgc_global_handle_make(words("a lazy dog"));
  spgc_collect(SPGC_COLLECTION_FULL); /* the lists are old from here on */
  struct spgc_ref hare = make_text("hare", 4);
  set_first(spgc_handle_get(other), hare); /* an old pair refers to a young text now */
  spgc_collect(SPGC_COLLECTION_MINOR);
  print(kept_words());
  print(spgc_handle_get(other));
  spgc_global_handle_release(other);
  *(int *)status = 0;
}

static void out_of_memory(void *context, size_t requested_bytes) {
  (void)context;
  fprintf(stderr, "out of memory: %zu bytes\n", requested_bytes);
  exit(1);
}

int main(void) {
  struct spgc_error error;
  int status = 1;
  spgc_set_out_of_memory_hook(out_of_memory, NULL);
  if (spgc_main(NULL, run, &status, &error) != SPGC_OK)
    fprintf(stderr, "%s\n", error.message);
  return status;
}
