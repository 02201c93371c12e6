/* spgc_unwind in code lowered ahead of time (unwinding.ll, preserved_numbers.ll). */
#include <stdio.h>
#include <stdlib.h>
#include <unwind.h>

#include "spgc/exception.h"
#include "spgc/heap.h"
#include "spgc/main.h"
#include "spgc/protect.h"
#include "tests/integration/cxx/throws.h"

int64_t catch (int64_t depth);
int64_t catch_beyond_cxx(int64_t depth);
int64_t keep_numbers(int64_t n);
int64_t leave(int64_t value);
int64_t value_of(struct _Unwind_Exception *exception);

static struct carrier {
  struct _Unwind_Exception header;
  int64_t value;
} thrown;
static void *stack_base;
static int failures;

int64_t value_of(struct _Unwind_Exception *exception) {
  return ((struct carrier *)exception)->value;
}

/* Called by generated code; returns only if nothing could catch. */
int64_t leave(int64_t value) {
  spgc_collect(SPGC_COLLECTION_FULL);
  thrown = (struct carrier){.value = 100};
  if (spgc_unwind(stack_base, &thrown.header) == SPGC_UNWIND_FOREIGN_FRAME)
    _Unwind_RaiseException(&thrown.header);
  return value;
}

static void check(const char *what, int64_t result, int64_t expected) {
  printf("%s: %ld\n", what, (long)result);
  failures += result != expected;
}

static void *catch_protected(void *depth) {
  return (void *)catch ((int64_t)depth);
}

static void run(void *unused) {
  stack_base = __builtin_frame_address(0);
  check("catch", catch (20), 121);
  check("catch from deep", catch (2000), 121);
  check("catch beyond C++", catch_beyond_cxx(20), 121);
  check("catch in a protected call", (int64_t)spgc_protect(catch_protected, (void *)20, NULL), 121);
  check("numbers", keep_numbers(1000), 44000);
  check("frames of C++ left", frames_left(), 1);
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  failures += statistics.moved_objects == 0;
}

int main(void) {
  struct spgc_error error;
  if (spgc_main(NULL, run, NULL, &error) != SPGC_OK) {
    fprintf(stderr, "%s\n", error.message);
    return EXIT_FAILURE;
  }
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
