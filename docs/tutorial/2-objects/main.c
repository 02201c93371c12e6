/* Makes a text and a list of integers that ends with it, and prints both. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "spgc/allocate.h"
#include "spgc/main.h"
#include "spgc/ref.h"
#include "spgc/type.h"

struct spgc_ref numbers(int64_t count, struct spgc_ref last); /* objects.ll */
extern const struct spgc_type pair_type;

struct pair {
  const struct spgc_type *type;
  struct spgc_ref head, tail;
};

struct text {
  const struct spgc_type *type;
  uint64_t length;
  char bytes[];
};

static const struct spgc_type text_type = {
    .size = sizeof(struct text), .element_size = 1, .flags = SPGC_TYPE_TAIL, .name = "text"};

static struct spgc_ref make_text(const char *bytes) {
  struct spgc_ref ref = spgc_allocate_array(&text_type, strlen(bytes));
  struct text *text = spgc_ref_memory(ref);
  if (text)
    memcpy(text->bytes, bytes, text->length);
  return ref;
}

static const struct spgc_type *type_of(struct spgc_ref ref) {
  return *(const struct spgc_type **)spgc_ref_memory(ref);
}

static void print(struct spgc_ref value) {
  if (value.word & 1) {
    printf("%" PRId64, (int64_t)value.word >> 1);
  } else if (type_of(value) == &text_type) {
    const struct text *text = spgc_ref_memory(value);
    printf("\"%.*s\" (%d bytes)", (int)text->length, text->bytes, (int)spgc_object_size(value));
  } else if (type_of(value) == &pair_type) {
    const struct pair *pair = spgc_ref_memory(value);
    print(pair->head);
    printf(spgc_ref_is_null(pair->tail) ? "\n" : " ");
    if (!spgc_ref_is_null(pair->tail))
      print(pair->tail);
  }
}

static void program(void *status) {
  print(numbers(5, make_text("and so on")));
  *(int *)status = 0;
}

int main(void) {
  struct spgc_error error;
  int status = 1;
  if (spgc_main(NULL, program, &status, &error) != SPGC_OK)
    fprintf(stderr, "%s\n", error.message);
  return status;
}
