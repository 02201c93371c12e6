#include "tests/support/lox_parsing.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/assertions.h"

struct lox_parsing lox_parsing_of_bytes(const char *bytes, size_t length) {
  struct lox_parsing parsing = {0};
  size_t size = 0;
  FILE *errors = open_memstream(&parsing.errors, &size);
  ck_assert_ptr_nonnull(errors);
  /* So that a memory checker sees reads beyond these bytes. */
  char *copy = malloc(length > 0 ? length : 1);
  ck_assert_ptr_nonnull(copy);
  if (length > 0)
    memcpy(copy, bytes, length);
  parsing.program = lox_parse("test.lox", (struct lox_string){copy, length}, errors);
  free(copy);
  fclose(errors);
  ck_assert_msg((parsing.program == NULL) == (size > 0), "a program or errors, not both: %s",
                parsing.errors);
  return parsing;
}

struct lox_parsing lox_parsing_of(const char *source) {
  return lox_parsing_of_bytes(source, strlen(source));
}

struct lox_parsing lox_parsing_of_correct(const char *source) {
  struct lox_parsing parsing = lox_parsing_of(source);
  ck_assert_msg(parsing.program != NULL, "\"%s\" was rejected: %s", source, parsing.errors);
  return parsing;
}

void lox_parsing_end(struct lox_parsing *parsing) {
  lox_program_free(parsing->program);
  free(parsing->errors);
}
