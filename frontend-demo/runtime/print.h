#ifndef LOX_RUNTIME_PRINT_H
#define LOX_RUNTIME_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "frontend-demo/runtime/value.h"

/* Writes to a file, or into memory that is reused. */
struct lox_writer {
  bool in_memory;
  FILE *file; /* unless in memory */
  char *bytes;
  size_t length;
  size_t capacity;
  bool out_of_memory; /* some text is missing */
  int write_error;    /* errno of the file's first failure; text after it may be missing */
};

void lox_write_bytes(struct lox_writer *writer, const char *bytes, size_t length);
void lox_write_text(struct lox_writer *writer, const char *text);

/* A list inside itself shows as "[...]", an error object as its message. Not a safepoint; raises no
 * error. */
void lox_write_value(struct lox_writer *writer, struct spgc_ref value);

#endif
