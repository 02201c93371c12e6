/* LLVM's stack maps against flat ones: bytes, registration, and finding a call, for each call site.
 *
 *   spgc-stackmap-forms [--json]
 *
 * The maps are those of the walk benchmark's rings. `first find` meets each return address for the
 * first time after registration, `later find` once more. The quickest of several rounds counts.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "spgc/stackmap.h"
#include "stackwalk/flat_view.h"
#include "stackwalk/frame_table.h"
#include "tests/support/stackmap_flatten.h"

enum { ROUNDS = 15 };

extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

/* What the rings call at the bottom; they are not run here. */
void at_the_bottom(void);
void at_the_bottom(void) {
  abort();
}

/* Times in nanoseconds, of all calls. */
struct row {
  const char *form;
  const void *section;
  size_t bytes;
  uint64_t registration, first_find, later_find, removal;
};

static struct flat_view calls; /* every return address */

static uint64_t processor_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static void fail(const char *what) {
  fprintf(stderr, "spgc-stackmap-forms: %s\n", what);
  exit(EXIT_FAILURE);
}

static void keep_least(uint64_t *least, uint64_t start) {
  uint64_t time = processor_ns() - start;
  if (*least == 0 || time < *least)
    *least = time;
}

static void find_all(void) {
  uintptr_t code = flat_code_start(calls.header);
  for (uint32_t i = 0; i < calls.header->call_count; i++)
    if (frame_table_find((struct return_address){code + calls.call[i].offset}) == NULL)
      fail("a call is missing");
}

static void measure(struct row *row) {
  struct spgc_stackmap *map;
  struct spgc_error error;
  for (int round = 0; round < ROUNDS; round++) {
    uint64_t start = processor_ns();
    if (spgc_stackmap_register(row->section, row->bytes, &map, &error) != SPGC_OK)
      fail(error.message);
    keep_least(&row->registration, start);
    start = processor_ns();
    find_all();
    keep_least(&row->first_find, start);
    start = processor_ns();
    find_all();
    keep_least(&row->later_find, start);
    start = processor_ns();
    spgc_stackmap_unregister(map);
    keep_least(&row->removal, start);
  }
}

static double each(uint64_t value) {
  return (double)value / calls.header->call_count;
}

static void print_row(const struct row *row, bool json) {
  const char *format =
      json ? "{\"form\": \"%s\", \"call_sites\": %" PRIu32
             ", \"bytes\": %.1f, \"register_ns\": %.1f, "
             "\"first_find_ns\": %.1f, \"later_find_ns\": %.1f, \"unregister_ns\": %.1f}\n"
           : "%-5s %10" PRIu32 " %7.1f %9.1f %11.1f %11.1f %11.1f\n";
  printf(format, row->form, calls.header->call_count, each(row->bytes), each(row->registration),
         each(row->first_find), each(row->later_find), each(row->removal));
}

static int print_usage(FILE *stream, int status) {
  fputs("usage: spgc-stackmap-forms [--json]\n"
        "\n"
        "For each call site of LLVM's stack map and of a flat one:\n"
        "  bytes                    of the section\n"
        "  register, unregister     nanoseconds\n"
        "  first find, later find   nanoseconds to look a return address up, and once more\n",
        stream);
  return status;
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "--help") == 0)
    return print_usage(stdout, 0);
  bool json = count == 2 && strcmp(arguments[1], "--json") == 0;
  if (count > 1 && !json)
    return print_usage(stderr, 2);
  size_t size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  struct spgc_flat_header *flat = stackmap_flatten(__start_test_stackmaps, size);
  calls = flat_view_of(flat);
  struct row rows[] = {{.form = "llvm", .section = __start_test_stackmaps, .bytes = size},
                       {.form = "flat", .section = flat, .bytes = flat->bytes}};
  if (!json)
    printf("form  call sites   bytes  register  first find  later find  unregister  (ns per call "
           "site)\n");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    measure(&rows[i]);
    print_row(&rows[i], json);
  }
  free(flat);
  return EXIT_SUCCESS;
}
