#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frontend-demo/runtime/number.h"
#include "frontend-demo/runtime/value.h"
#include "tests/support/assertions.h"
#include "tests/support/check_main.h"

static uint64_t random_state;

static uint64_t next_random(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  return random_state ^= random_state << 17;
}

static void choose_seed(void) {
  random_state = (uint64_t)time(NULL) | 1;
  fprintf(stderr, "seed %llu\n", (unsigned long long)random_state);
}

static double from_bits(uint64_t bits) {
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

static void shows(double number, const char *expected) {
  char text[LOX_NUMBER_TEXT_SIZE];
  ck_assert_uint_eq(lox_number_format(number, text), strlen(expected));
  ck_assert_str_eq(text, expected);
}

START_TEST(numbers_show_as_written) {
  shows(0, "0");
  shows(-0.0, "-0");
  shows(1, "1");
  shows(-17, "-17");
  shows(0.1, "0.1");
  shows(0.1 + 0.2, "0.30000000000000004");
  shows(1.0 / 3, "0.3333333333333333");
  shows(123456.789, "123456.789");
  shows(999999999999999, "999999999999999");
  shows(-999999999999999, "-999999999999999");
  shows(1e15, "1e+15");
  shows(1e100, "1e+100");
  shows(1e-7, "1e-07");
  shows(5e-324, "5e-324");
  shows(DBL_MAX, "1.7976931348623157e+308");
  shows(INFINITY, "inf");
  shows(-INFINITY, "-inf");
  shows(NAN, "nan");
  shows(-NAN, "nan");
}
END_TEST

static size_t significant_digits(const char *text) {
  size_t digits = 0, zeros = 0;
  for (; *text != '\0' && *text != 'e'; text++) {
    if (*text >= '1' && *text <= '9') {
      digits += zeros + 1;
      zeros = 0;
    } else if (*text == '0' && digits > 0) {
      zeros++;
    }
  }
  return digits;
}

/* Tries the nearest text of 16 digits and its neighbours. */
static void no_text_of_16_digits_reads(double number, const char *text) {
  char nearest[LOX_NUMBER_TEXT_SIZE], shorter[2 * LOX_NUMBER_TEXT_SIZE];
  snprintf(nearest, sizeof nearest, "%.15e", fabs(number));
  int64_t digits = nearest[0] - '0';
  const char *at = nearest + 2;
  for (; *at != 'e'; at++)
    digits = digits * 10 + (*at - '0');
  int exponent = atoi(at + 1) - 15;
  for (int64_t candidate = digits - 1; candidate <= digits + 1; candidate++) {
    snprintf(shorter, sizeof shorter, "%" PRId64 "e%d", candidate, exponent);
    ck_assert_msg(strtod(shorter, NULL) != fabs(number), "%s shows as %s", shorter, text);
  }
}

static void round_trips(double number) {
  char text[LOX_NUMBER_TEXT_SIZE], shorter[512];
  size_t length = lox_number_format(number, text);
  double read;
  ck_assert_msg(lox_number_parse(text, length, &read), "\"%s\" is not read", text);
  ck_assert_msg(memcmp(&read, &number, sizeof read) == 0, "%a shows as %s, which reads %a", number,
                text, read);
  size_t digits = significant_digits(text);
  if (digits > 1) {
    snprintf(shorter, sizeof shorter, "%.*g", (int)digits - 1, number);
    ck_assert_msg(!lox_number_parse(shorter, strlen(shorter), &read) || read != number,
                  "%s shows as %s", shorter, text);
  }
  if (digits == 17)
    no_text_of_16_digits_reads(number, text);
}

START_TEST(powers_of_two_round_trip_with_fewest_digits) {
  shows(0x1p-44, "5.684341886080802e-14");
  shows(-0x1p-44, "-5.684341886080802e-14");
  for (int exponent = -1074; exponent < 1024; exponent++) {
    round_trips(ldexp(1, exponent));
    round_trips(-ldexp(1, exponent));
    round_trips(nextafter(ldexp(1, exponent), 0));
  }
}
END_TEST

START_TEST(random_numbers_round_trip_with_fewest_digits) {
  choose_seed();
  for (int i = 0; i < 20000; i++) {
    double number = from_bits(next_random());
    if (isfinite(number))
      round_trips(number);
  }
  for (int i = 0; i < 5000; i++) {
    round_trips(from_bits(next_random() >> (12 + next_random() % 52)));
    round_trips((double)(int64_t)(next_random() >> (next_random() % 64)));
    round_trips((double)(next_random() % 1000000) / 1000);
  }
}
END_TEST

START_TEST(only_numbers_are_read_as_numbers) {
  static const char *const wrong[] = {"",     " 1",  "1 ",    "+1",  "-",       ".5",  "1.",
                                      "1.e2", "1e",  "1e+",   "0x1", "1_0",     "1,5", "one",
                                      "INF",  "NaN", "1.2.3", "--1", "infinity"};
  double number;
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    ck_assert_msg(!lox_number_parse(wrong[i], strlen(wrong[i]), &number), "\"%s\" is read",
                  wrong[i]);
  ck_assert(!lox_number_parse("1\0", 2, &number));
  ck_assert(!lox_number_parse("inf\0x", 5, &number));
  ck_assert(lox_number_parse("-2.5e-3", 7, &number) && number == -0.0025);
  ck_assert(lox_number_parse("12345", 3, &number) && number == 123);
}
END_TEST

START_TEST(numbers_survive_their_encoding_and_are_nothing_else) {
  choose_seed();
  for (int i = 0; i < 100000; i++) {
    double number = from_bits(next_random());
    struct spgc_ref value = lox_number(number);
    ck_assert(lox_is_number(value) && !lox_is_object(value) && !lox_is_nil(value));
    double read = lox_to_double(value);
    ck_assert(isnan(number) ? isnan(read) : memcmp(&read, &number, sizeof read) == 0);
  }
  ck_assert(lox_is_number(lox_number(0)) && lox_is_number(lox_number(-NAN)));
  ck_assert(!lox_is_number(lox_nil()) && !lox_is_object(lox_nil()) &&
            !lox_is_object(lox_boolean(true)));
}
END_TEST

START_TEST(an_index_is_an_integer_within_its_limit) {
  uint64_t index;
  ck_assert(lox_number_to_index(0, 1, &index) && index == 0);
  ck_assert(lox_number_to_index(-0.0, 1, &index) && index == 0);
  ck_assert(lox_number_to_index(41, 42, &index) && index == 41);
  ck_assert(!lox_number_to_index(42, 42, &index));
  ck_assert(!lox_number_to_index(-1, 42, &index));
  ck_assert(!lox_number_to_index(0.5, 42, &index));
  ck_assert(!lox_number_to_index(NAN, 42, &index));
  ck_assert(!lox_number_to_index(INFINITY, 42, &index));
  ck_assert(!lox_number_to_index(1e300, 42, &index));
  ck_assert(!lox_number_to_index(0, 0, &index));
}
END_TEST

CHECK_MAIN("lox-runtime-number", numbers_show_as_written,
           random_numbers_round_trip_with_fewest_digits,
           powers_of_two_round_trip_with_fewest_digits, only_numbers_are_read_as_numbers,
           numbers_survive_their_encoding_and_are_nothing_else,
           an_index_is_an_integer_within_its_limit)
