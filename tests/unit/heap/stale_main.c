/* For AddressSanitizer and Valgrind. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spgc/allocate.h"
#include "spgc/handle.h"
#include "spgc/heap.h"
#include "spgc/thread.h"

struct pair {
  const struct spgc_type *type;
  struct spgc_ref first, second;
};

static const uint32_t references[] = {offsetof(struct pair, first), offsetof(struct pair, second)};
static const struct spgc_type pair_type = {.size = sizeof(struct pair),
                                           .reference_count = 2,
                                           .reference_offsets = references,
                                           .name = "Pair"};
static const struct spgc_type bytes_type = {
    .size = 16, .element_size = 1, .flags = SPGC_TYPE_TAIL, .name = "Text"};

static uint64_t read_word(struct spgc_ref object, size_t offset) {
  return *(volatile uint64_t *)((char *)spgc_ref_memory(object) + offset);
}

static void read_moved(void) {
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&pair_type));
  struct spgc_ref stale = spgc_handle_get(pair);
  spgc_collect(SPGC_COLLECTION_MINOR);
  read_word(stale, offsetof(struct pair, first));
}

static void read_dead(void) {
  struct spgc_ref stale = spgc_allocate(&pair_type);
  spgc_collect(SPGC_COLLECTION_MINOR);
  read_word(stale, offsetof(struct pair, second));
}

static void read_large(void) {
  struct spgc_ref stale = spgc_allocate_array(&bytes_type, 100000);
  spgc_collect(SPGC_COLLECTION_FULL);
  read_word(stale, 50000);
}

/* An old object dies between live ones. */
static void read_hole(void) {
  enum { NEIGHBOURS = 30, NEIGHBOUR_BYTES = 900, BYTES = 100 };
  struct spgc_handle stale = spgc_handle_make(spgc_ref_null());
  for (int i = 0; i < NEIGHBOURS; i++) {
    spgc_handle_make(spgc_allocate_array(&bytes_type, NEIGHBOUR_BYTES));
    if (i == 1)
      spgc_handle_set(stale, spgc_allocate_array(&bytes_type, BYTES));
  }
  spgc_collect(SPGC_COLLECTION_MINOR);
  struct spgc_ref old = spgc_handle_get(stale);
  spgc_handle_set(stale, spgc_ref_null());
  spgc_collect(SPGC_COLLECTION_FULL);
  read_word(old, BYTES / 2 & ~7);
}

static void read_live(void) {
  enum { ROUNDS = 40, OBJECTS = 500, KEPT = 37 };
  struct spgc_handle kept[KEPT];
  for (int i = 0; i < KEPT; i++)
    kept[i] = spgc_handle_make(spgc_ref_null());
  for (int round = 0; round < ROUNDS; round++) {
    for (uint64_t i = 0; i < OBJECTS; i++)
      spgc_handle_set(kept[(i * i + (uint64_t)round) % KEPT],
                      spgc_allocate_array(&bytes_type, i % 50 == 0 ? 40000 : 24 + i * 7));
    spgc_collect(round % 4 == 0 ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR);
    for (int i = 0; i < KEPT; i++)
      if (!spgc_ref_is_null(spgc_handle_get(kept[i])) && read_word(spgc_handle_get(kept[i]), 16))
        abort();
  }
}

/* From sanitizer/asan_interface.h, if linked. */
extern void __asan_set_error_report_callback(void (*callback)(const char *report))
    __attribute__((weak));

static void tell(const char *report) {
  fputs("the program's own callback\n", stderr);
}

static const struct {
  const char *name;
  void (*run)(void);
} cases[] = {{"moved", read_moved},
             {"dead", read_dead},
             {"large", read_large},
             {"hole", read_hole},
             {"live", read_live}};

/* The first argument is a case. With a second, the program has its own callback. */
int main(int argument_count, char **arguments) {
  struct spgc_error error;
  if (argument_count == 3 && __asan_set_error_report_callback != NULL)
    __asan_set_error_report_callback(tell);
  if (spgc_start(NULL, &error) != SPGC_OK ||
      spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    return EXIT_FAILURE;
  struct spgc_scope scope = spgc_scope_open();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (argument_count >= 2 && strcmp(arguments[1], cases[i].name) == 0)
      cases[i].run();
  spgc_scope_close(scope);
  spgc_thread_detach();
  spgc_stop();
  return EXIT_SUCCESS;
}
