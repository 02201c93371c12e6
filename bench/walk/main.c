/* Times of stack walks (see --help). Each frame has three references. A stack is walked several
 * times from its innermost frame, and the quickest walk counts. `unwind` is unw_step alone, `fast`
 * a walk without a visitor's work. `resumed_us` is the stack's cost for a minor collection. */
#define UNW_LOCAL_ONLY
#include <inttypes.h>
#include <libunwind.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/walk/clock.h"
#include "bench/walk/registration.h"
#include "spgc/stackmap.h"
#include "spgc/stackwalk.h"

enum { REPETITIONS = 5, WALKS = 40, ROOTS = 3, OBJECT_VALUE = 5 };
enum { START_FRAMES = 12, COUNTED_FRAMES = 1000 };
enum { STACK_BYTES = 1 << 30 };

typedef uint64_t ring(struct spgc_ref a, struct spgc_ref b, struct spgc_ref c, uint64_t depth);
ring slots_1, slots_1000, registers_1, registers_1000;

extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

struct row {
  const char *roots;
  unsigned addresses;
  ring *ring;
  uint64_t frames;
  double unwind_ns, fast_ns, fast_roots_ns, resumed_us;
};

static struct row *row;        /* being measured */
static uint64_t untimed_walks; /* of --walks */
static void *base;
static struct spgc_watermark *watermark; /* the row's, until its frames have returned */
static uint64_t object = OBJECT_VALUE;

_Noreturn static void fail(const char *what) {
  fprintf(stderr, "spgc-walk: %s\n", what);
  exit(EXIT_FAILURE);
}

static uint64_t unwind(void) {
  unw_context_t context;
  unw_cursor_t cursor;
  unw_getcontext(&context);
  unw_init_local(&cursor, &context);
  uint64_t start = processor_ns();
  for (uint64_t frame = 0; frame < row->frames; frame++)
    if (unw_step(&cursor) <= 0)
      fail("libunwind lost its way");
  return processor_ns() - start;
}

static void add_roots(void *context, const struct spgc_slot *roots, size_t count) {
  uint64_t sum = 0;
  for (size_t i = 0; i < count; i++)
    sum += spgc_slot_load(roots[i]).word;
  *(uint64_t *)context += sum;
}

static uint64_t fast(bool read_roots) {
  uint64_t sum = 0;
  struct spgc_stack_visitor visitor = {.context = &sum, .bases = read_roots ? add_roots : NULL};
  struct spgc_walk_counts counts;
  uint64_t start = processor_ns();
  spgc_walk_stack(base, &visitor, &counts);
  uint64_t time = processor_ns() - start;
  uint64_t expected =
      strcmp(row->roots, "slots") == 0 ? counts.roots_in_slots : counts.roots_in_registers;
  if (counts.managed_frames != row->frames + 1 || expected != row->frames * ROOTS ||
      (read_roots && sum != expected * (uintptr_t)&object))
    fail("the walk missed something");
  return time;
}

static void keep_least(double *least, uint64_t time) {
  double each = (double)time / (double)row->frames;
  if (*least == 0 || each < *least)
    *least = each;
}

struct resumed_walk {
  struct spgc_watermark *watermark;
  struct spgc_walk_counts counts;
  uint64_t sum;
};

static void *walk_resumed(const struct spgc_suspended_stack *stack, void *context) {
  struct resumed_walk *walk = context;
  struct spgc_stack_visitor visitor = {.context = &walk->sum, .bases = add_roots};
  spgc_walk_resumed(stack, walk->watermark, &visitor, &walk->counts);
  return NULL;
}

/* The first walk meets all frames, the others none. */
static void measure_resumed(void) {
  struct resumed_walk walk = {.watermark = spgc_watermark_create()};
  for (int i = 0; i <= REPETITIONS; i++) {
    uint64_t start = processor_ns();
    spgc_stack_suspend(base, walk_resumed, &walk);
    double time = (double)(processor_ns() - start) / 1000;
    if (i == 1 || (i > 1 && time < row->resumed_us))
      row->resumed_us = time;
  }
  if (row->frames > 100 && walk.counts.managed_frames > 100)
    fail("frames were met that nobody resumed");
  watermark = walk.watermark;
}

/* Called by the innermost frame. */
void at_the_bottom(void);
void at_the_bottom(void) {
  for (uint64_t i = 0; i < untimed_walks; i++)
    fast(true);
  if (untimed_walks != 0)
    return;
  for (int i = 0; i < REPETITIONS; i++)
    keep_least(&row->unwind_ns, unwind());
  for (int i = 0; i < WALKS; i++) {
    keep_least(&row->fast_ns, fast(false));
    keep_least(&row->fast_roots_ns, fast(true));
  }
  measure_resumed();
}

static void *run_row(void *unused) {
  base = __builtin_frame_address(0);
  struct spgc_ref reference = spgc_ref_from_word((uintptr_t)&object);
  if (row->ring(reference, reference, reference, row->frames) != row->frames * ROOTS * OBJECT_VALUE)
    fail("the ring computed something else");
  if (untimed_walks == 0)
    spgc_watermark_destroy(watermark);
  return NULL;
}

static void measure(struct row *measured) {
  row = measured;
  void *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  if (stack == MAP_FAILED || pthread_attr_setstack(&attributes, stack, STACK_BYTES) != 0 ||
      pthread_create(&thread, &attributes, run_row, NULL) != 0)
    fail("no stack");
  pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  munmap(stack, STACK_BYTES);
}

static void print_row(bool json) {
  const char *format = json ? "{\"frames\": %" PRIu64
                              ", \"addresses\": %u, \"roots\": \"%s\", \"unwind_ns\": %.1f, "
                              "\"fast_ns\": %.2f, \"fast_roots_ns\": %.2f, \"resumed_us\": %.1f}\n"
                            : "%9" PRIu64 " %9u  %-9s %9.1f %9.2f %9.2f %9.1f\n";
  printf(format, row->frames, row->addresses, row->roots, row->unwind_ns, row->fast_ns,
         row->fast_roots_ns, row->resumed_us);
  fflush(stdout);
}

/* Like a collection: registers are saved, and all frames are walked. */
static void print_start(bool json) {
  static struct row start = {
      .roots = "slots", .addresses = 1000, .ring = slots_1000, .frames = START_FRAMES};
  measure(&start);
  printf(json ? "{\"start_frames\": %d, \"start_us\": %.1f}\n"
              : "collection start, %d frames: %.1f us\n",
         START_FRAMES, start.fast_roots_ns * START_FRAMES / 1000);
}

static int print_usage(FILE *stream, int status) {
  fputs(
      "usage: spgc-walk [--json] [FRAMES]\n"
      "       spgc-walk --walks COUNT\n"
      "\n"
      "Nanoseconds a frame, on stacks of so many frames with 1 or 1000 distinct return addresses:\n"
      "  unwind, fast, fast_roots  libunwind; the fast walk; the fast walk that loads each root\n"
      "Microseconds a walk:\n"
      "  resumed_us                of the frames that ran since the walk before\n"
      "\n"
      "With --walks, COUNT fast walks of 1000 frames, untimed.\n",
      stream);
  return status;
}

static struct spgc_stackmap *register_rings(void) {
  struct spgc_stackmap *map;
  struct spgc_error error;
  size_t size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  if (spgc_stackmap_register(__start_test_stackmaps, size, &map, &error) != SPGC_OK)
    fail(error.message);
  return map;
}

static void measure_rows(uint64_t frames, bool json) {
  static const struct row rows[] = {
      {.roots = "slots", .addresses = 1, .ring = slots_1},
      {.roots = "slots", .addresses = 1000, .ring = slots_1000},
      {.roots = "registers", .addresses = 1, .ring = registers_1},
      {.roots = "registers", .addresses = 1000, .ring = registers_1000}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    struct row measured = rows[i];
    measured.frames = frames;
    measure(&measured);
    print_row(json);
  }
}

static void measure_depths(uint64_t frames, bool json) {
  static const uint64_t depths[] = {10, 1000, 100000, 1000000};
  if (!json)
    printf("   frames addresses  roots        unwind      fast fast_roots resumed_us  (else ns per "
           "frame)\n");
  if (frames != 0)
    measure_rows(frames, json);
  for (size_t i = 0; frames == 0 && i < sizeof depths / sizeof depths[0]; i++)
    measure_rows(depths[i], json);
}

static void measure_all(uint64_t frames, bool json) {
  size_t size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  if (!measure_registration(__start_test_stackmaps, size, json))
    fail("registration fails");
  struct spgc_stackmap *map = register_rings();
  measure_depths(frames, json);
  print_start(json);
  spgc_stackmap_unregister(map);
}

static void walk_untimed(uint64_t walks) {
  struct spgc_stackmap *map = register_rings();
  struct row counted = {
      .roots = "slots", .addresses = 1000, .ring = slots_1000, .frames = COUNTED_FRAMES};
  untimed_walks = walks;
  measure(&counted);
  spgc_stackmap_unregister(map);
}

int main(int count, char **arguments) {
  bool json = count > 1 && strcmp(arguments[1], "--json") == 0;
  bool untimed = count > 1 && strcmp(arguments[1], "--walks") == 0;
  int first = json || untimed ? 2 : 1;
  uint64_t number = count > first ? strtoull(arguments[first], NULL, 10) : 0;
  if (count == 2 && strcmp(arguments[1], "--help") == 0)
    return print_usage(stdout, 0);
  if (count > first + 1 || (number == 0 && (untimed || count > first)))
    return print_usage(stderr, 2);
  if (untimed)
    walk_untimed(number);
  else
    measure_all(number, json);
  return EXIT_SUCCESS;
}
