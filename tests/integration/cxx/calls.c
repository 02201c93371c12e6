#include "throws.h"

static int64_t left;

void count_left_frame(void) {
  left++;
}

int64_t frames_left(void) {
  return left;
}

static void leave(int *unused) {
  count_left_frame();
}

int64_t call_from_c(int64_t (*function)(int64_t), int64_t argument) {
  int guard __attribute__((cleanup(leave))) = 0;
  return function(argument) + guard;
}
