#ifndef LOX_RUNTIME_NUMBER_H
#define LOX_RUNTIME_NUMBER_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOX_NUMBER_TEXT_SIZE = 32 };

/* The shortest decimal text that reads back as the same number, NUL-terminated; integers below
 * 10^15 have no exponent. Returns its length. */
size_t lox_number_format(double number, char text[LOX_NUMBER_TEXT_SIZE]);

/* Also with a minus sign and an exponent. */
bool lox_number_parse(const char *text, size_t length, double *number);

/* Finite and without a fraction. Numbers from 2^53 onwards are integers. Below, the conversion is
 * defined. */
static inline bool lox_number_is_integer(double number) {
  double magnitude = number < 0 ? -number : number;
  return magnitude < 0x1p53 ? (double)(int64_t)number == number : magnitude <= DBL_MAX;
}

/* An integer below `limit`, which never exceeds 2^47, the size of the address space. */
static inline bool lox_number_to_index(double number, uint64_t limit, uint64_t *index) {
  if (!(number >= 0 && number < (double)limit))
    return false;
  *index = (uint64_t)number;
  return (double)*index == number;
}

#endif
