/* An interpreter whose round may end with a store at an address of an object: no poll may come
 * between. */
#include <stdint.h>

#include "spgc/managed.h"

struct text {
  const struct spgc_type *type;
  int8_t bytes[64];
};
typedef struct text SPGC_MANAGED *text;

static const struct spgc_type text_type = SPGC_DATA_TYPE(struct text);

static int8_t scratch[64];

SPGC_LEAF static int8_t *bytes_of(text from) {
  return (int8_t *)(uintptr_t)from->bytes;
}

/* The first code stores at the place that follows it if the next is odd. */
__attribute__((noinline)) static long run(const uint8_t *at, text into) {
  long n = 41;
  for (;;) {
    int8_t *to = scratch;
    switch (*at) {
    case 0: {
      int8_t *bytes = bytes_of(into);
      if ((at[1] & 1) != 0) {
        to = bytes + at[2];
        at += at[3];
      } else {
        n += 5;
        at += 4;
      }
      break;
    }
#define STEP(code)                                                                                 \
  case code:                                                                                       \
    at += 1;                                                                                       \
    n = n * (code + 2) + (n >> code);                                                              \
    break;
      STEP(1)
      STEP(2)
      STEP(3)
      STEP(4)
      STEP(5)
      STEP(6)
      STEP(7)
      STEP(8)
      STEP(9)
      STEP(10)
      STEP(11)
      STEP(12)
      STEP(13)
      STEP(14)
      STEP(15)
      STEP(16)
      STEP(17)
      STEP(18)
      STEP(19)
    default: return n;
    }
    *to = (int8_t)n;
  }
}

static const uint8_t program[] = {1, 0, 1, 5, 4, 2, 0, 0, 0, 0, 0, 3, 9, 4, 3, 99};

long managed_run(long n) {
  text last = spgc_allocate(&text_type);
  long sum = 0;
  for (long i = 0; i < n; i++) {
    text into = spgc_allocate(&text_type);
    sum += run(program, into) % 1000 + into->bytes[5] + 2 * into->bytes[9] + last->bytes[0];
    last = into;
  }
  return sum;
}
