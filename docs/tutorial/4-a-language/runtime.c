/* Prints values, and reports errors. */
#include "nib.h"

#include <inttypes.h>
#include <stdio.h>

#include "spgc/protect.h"

static void write_value(FILE *file, struct spgc_ref value) {
  const struct spgc_type *type = type_of(value);
  if (value.word & 1) {
    fprintf(file, "%" PRId64, (int64_t)value.word >> 1);
  } else if (type == &nib_text_type) {
    const struct text *text = spgc_ref_memory(value);
    fwrite(text->bytes, 1, text->length, file);
  } else if (type == &nib_pair) {
    fputc('(', file);
    for (const char *gap = ""; type_of(value) == &nib_pair; gap = " ") {
      const struct pair *pair = spgc_ref_memory(value);
      fputs(gap, file);
      write_value(file, pair->head);
      value = pair->tail;
    }
    fputc(')', file);
  } else {
    fputs(type ? "a function" : value.word == NIB_TRUE ? "true" : "nil", file);
  }
}

/* A leaf: it neither allocates nor calls managed code. */
struct spgc_ref nib_print(struct spgc_ref value) {
  write_value(stdout, value);
  putchar('\n');
  return value;
}

/* Errors leave the program from any depth. */
_Noreturn static void end_program(void) {
  spgc_leave(NULL, NULL);
}

_Noreturn void nib_wrong(const char *what, struct spgc_ref value) {
  fprintf(stderr, "nib: %s: ", what);
  write_value(stderr, value);
  fputc('\n', stderr);
  end_program();
}

_Noreturn void nib_uncallable(struct spgc_ref value, int64_t arguments) {
  fprintf(stderr, "nib: cannot be called with %" PRId64 " arguments: ", arguments);
  write_value(stderr, value);
  fputc('\n', stderr);
  end_program();
}

_Noreturn void nib_stack_full(void) {
  fprintf(stderr, "nib: the calls are nested too deeply\n");
  end_program();
}

void nib_out_of_memory(void *context, size_t requested_bytes) {
  (void)context;
  fprintf(stderr, "nib: no memory for %zu bytes\n", requested_bytes);
  end_program();
}
