/* The runtime of Nib: its objects, what generated code calls, and how errors end a program. */
#ifndef NIB_H
#define NIB_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/ref.h"
#include "spgc/type.h"

enum { NIB_NIL = 0, NIB_TRUE = 2 };

struct pair {
  const struct spgc_type *type;
  struct spgc_ref head, tail;
};

struct text {
  const struct spgc_type *type;
  uint64_t length;
  char bytes[];
};

extern const struct spgc_type nib_pair, nib_closure; /* prelude.ll */
extern const struct spgc_type nib_text_type;         /* texts.c */

void nib_main(void); /* the program */

/* Called by generated code. Those of texts.c are safepoints. */
struct spgc_ref nib_text(const char *bytes, uint64_t length);
struct spgc_ref nib_join(struct spgc_ref first, struct spgc_ref second);
struct spgc_ref nib_words(struct spgc_ref text);
struct spgc_ref nib_print(struct spgc_ref value);
_Noreturn void nib_wrong(const char *what, struct spgc_ref value);
_Noreturn void nib_uncallable(struct spgc_ref value, int64_t arguments);
_Noreturn void nib_stack_full(void);

void nib_out_of_memory(void *context, size_t requested_bytes); /* a hook of the library */

/* The type of an object; NULL for an immediate. */
static inline const struct spgc_type *type_of(struct spgc_ref value) {
  if (spgc_ref_is_null(value) || value.word % 8 != 0)
    return NULL;
  return *(const struct spgc_type **)spgc_ref_memory(value);
}

#endif
