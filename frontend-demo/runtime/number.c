#include "frontend-demo/runtime/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend-demo/runtime/object.h"

static const double plain_integer_limit = 1e15;

static size_t format_integer(int64_t integer, char *text) {
  char digits[LOX_NUMBER_TEXT_SIZE];
  size_t count = 0, length = 0;
  uint64_t rest = integer < 0 ? (uint64_t)-integer : (uint64_t)integer;
  do {
    digits[count++] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest > 0);
  if (integer < 0)
    text[length++] = '-';
  while (count > 0)
    text[length++] = digits[--count];
  text[length] = '\0';
  return length;
}

static bool is_power_of_two(double number) {
  int exponent;
  return fabs(frexp(number, &exponent)) == 0.5;
}

/* Above a power of two, numbers are twice as far apart as below it, so the 16-digit text above may
 * read back although the nearer one below does not. That text does not end in 0, or 15 digits would
 * have sufficed. */
static bool format_above(double number, char *text) {
  snprintf(text, LOX_NUMBER_TEXT_SIZE, "%.*e", DBL_DIG, number);
  char *last = strchr(text, 'e') - 1;
  if (*last == '9')
    return false;
  ++*last;
  return strtod(text, NULL) == number;
}

/* 15 digits survive conversion to a normal double and back; %g drops trailing zeros. Subnormal
 * numbers have less precision. 17 digits always suffice. */
static size_t format_shortest(double number, char *text) {
  int precision = fabs(number) < DBL_MIN ? 1 : DBL_DIG;
  for (;; precision++) {
    int length = snprintf(text, LOX_NUMBER_TEXT_SIZE, "%.*g", precision, number);
    if (strtod(text, NULL) == number)
      return (size_t)length;
    if (precision == DBL_DIG + 1 && is_power_of_two(number) && format_above(number, text))
      return strlen(text);
  }
}

static size_t format_word(const char *word, char *text) {
  size_t length = strlen(word);
  memcpy(text, word, length + 1);
  return length;
}

size_t lox_number_format(double number, char text[LOX_NUMBER_TEXT_SIZE]) {
  if (isnan(number))
    return format_word("nan", text);
  if (isinf(number))
    return format_word(number < 0 ? "-inf" : "inf", text);
  if (number == 0)
    return format_word(signbit(number) ? "-0" : "0", text);
  if (fabs(number) < plain_integer_limit && (double)(int64_t)number == number)
    return format_integer((int64_t)number, text);
  return format_shortest(number, text);
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* number = [ "-" ] digits [ "." digits ] [ ( "e" | "E" ) [ "+" | "-" ] digits ] What strtod reads
 * of these characters, except ".5", "1." and "+1". */
static bool is_decimal(const char *text, const char *end) {
  char *rest;
  strtod(text, &rest);
  const char *point = strchr(text, '.');
  return rest == end && text + strspn(text, "0123456789.eE+-") == end &&
         is_digit(text[*text == '-']) && (!point || is_digit(point[1]));
}

static bool is_special(const char *text) {
  return strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0 || strcmp(text, "nan") == 0;
}

bool lox_number_parse(const char *text, size_t length, double *number) {
  char near[64];
  char *terminated = length < sizeof near ? near : lox_memory(length + 1);
  memcpy(terminated, text, length);
  terminated[length] = '\0';
  bool valid = is_decimal(terminated, terminated + length) ||
               (is_special(terminated) && strlen(terminated) == length);
  if (valid)
    *number = strtod(terminated, NULL);
  if (terminated != near)
    free(terminated);
  return valid;
}
