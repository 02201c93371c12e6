/* A leaf for managed_c/word_given_away.c. The object is new, so the store needs no barrier. */
#include <stdint.h>

void set_word(void *object, uint64_t bits);

void set_word(void *object, uint64_t bits) {
  ((uint64_t *)object)[1] = bits;
}
