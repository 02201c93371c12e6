/* The cost of an object of the JIT, however many there are: mappings, bytes, and instructions,
 * which are counted by single steps.
 *
 * SPGC_TEST_OBJECTS is the number of objects at once (99,999 unless it is set). */
#include <elf.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "spgc/jit.h"
#include "spgc/stackmap.h"
#include "spgc/thread.h"
#include "support/random.h"
#include "tests/integration/jit_template.h"
#include "tests/integration/jit_texts.h"
#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

/* A small function, and one with more code. */
static struct jit_template small, common;

static int64_t look_outwards(int64_t n);
static bool looks; /* when generated code calls */

static int64_t between(int64_t n) {
  return looks ? look_outwards(n) : 0;
}

static void start(void) {
  jit_world_start("limit=64m");
  jit_world_define("between", (void *)between);
  jit_template_compile(&small, jit_text_sharing);
  jit_template_compile(&common, jit_text_of_many_calls);
}

static void stop(void) {
  jit_world_stop();
  jit_template_free(&small);
  jit_template_free(&common);
}

struct memory {
  size_t mappings, arena, heap; /* the number, and bytes of the JIT's areas and of malloc */
};

/* The bytes of the files that the code and the read-only data are in. Pages that were never read do
 * not count as resident. */
static size_t measure_files(void) {
  size_t bytes = 0;
  for (int file = 0; file < 256; file++) {
    char path[64], target[64] = "";
    struct stat status;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (readlink(path, target, sizeof target - 1) > 0 && strstr(target, "memfd:spgc-jit") != NULL &&
        fstat(file, &status) == 0)
      bytes += (size_t)status.st_blocks * 512;
  }
  return bytes;
}

/* The data is in the mapping after the last file's. */
static struct memory measure(void) {
  struct memory memory = {.heap = mallinfo2().uordblks + mallinfo2().hblkhd,
                          .arena = measure_files()};
  uintptr_t start, end, file_end = 0;
  bool is_data = false;
  size_t kib;
  char line[512];
  FILE *maps = fopen("/proc/self/smaps", "r");
  ck_assert_ptr_nonnull(maps);
  while (fgets(line, sizeof line, maps) != NULL) {
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &start, &end) == 2) {
      memory.mappings++;
      bool is_file = strstr(line, "memfd:spgc-jit") != NULL;
      is_data = !is_file && start == file_end;
      file_end = is_file ? end : 0;
    } else if (is_data && sscanf(line, "Rss: %zu kB", &kib) == 1) {
      memory.arena += kib * 1024;
    }
  }
  fclose(maps);
  return memory;
}

/* Code, data, stack maps and unwind information. */
static size_t loaded_bytes(const struct jit_template *template) {
  Elf64_Ehdr file;
  size_t bytes = 0;
  memcpy(&file, template->bytes, sizeof file);
  for (unsigned i = 0; i < file.e_shnum; i++) {
    Elf64_Shdr section;
    memcpy(&section, template->bytes + file.e_shoff + i * sizeof section, sizeof section);
    bytes += (section.sh_flags & SHF_ALLOC) != 0 ? section.sh_size : 0;
  }
  return bytes;
}

static struct spgc_jit_object *load(const struct jit_template *template, unsigned number) {
  struct spgc_error error;
  struct spgc_jit_object *object;
  ck_assert_ok(spgc_jit_add(jit_world_jit, jit_template_copy(template, number, 0), &object, &error),
               error);
  return object;
}

static void load_many(const struct jit_template *template, unsigned count,
                      struct spgc_jit_object **objects, const unsigned *numbers) {
  for (unsigned i = 0; i < count; i++)
    objects[numbers[i]] = load(template, numbers[i]);
}

static void shuffle(unsigned *numbers, unsigned count) {
  struct spgc_random random = {count};
  for (unsigned i = 0; i < count; i++)
    numbers[i] = i;
  for (unsigned i = count; i > 1; i--) {
    unsigned other = (unsigned)(spgc_random_next(&random) % i), kept = numbers[i - 1];
    numbers[i - 1] = numbers[other];
    numbers[other] = kept;
  }
}

static void remove_many(unsigned count, struct spgc_jit_object **objects, const unsigned *numbers) {
  for (unsigned i = 0; i < count; i++)
    jit_world_remove(objects[numbers[i]]);
  jit_world_free_removed();
}

static size_t bytes_for_each(struct memory before, struct memory after, unsigned count) {
  return (after.arena - before.arena + after.heap - before.heap) / count;
}

START_TEST(mappings_and_memory_follow_what_is_loaded) {
  unsigned count = jit_world_number("SPGC_TEST_OBJECTS", 99999);
  unsigned *numbers = calloc(count, sizeof *numbers);
  struct spgc_jit_object **objects = (struct spgc_jit_object **)calloc(count, sizeof *objects);
  start();
  const struct jit_template *template = _i == 0 ? &small : &common;
  size_t bytes = loaded_bytes(template);
  shuffle(numbers, count);
  load_many(template, count, objects, numbers); /* what is made once is made now */
  remove_many(count, objects, numbers);
  jit_world_free_removed();
  struct memory before = measure();
  load_many(template, count, objects, numbers);
  struct memory with = measure();
  printf("%u objects of %zu bytes: %zu mappings, %zu bytes each in the arena, %zu of malloc\n",
         count, bytes, with.mappings - before.mappings, (with.arena - before.arena) / count,
         (with.heap - before.heap) / count);
  ck_assert_uint_le(with.mappings, before.mappings + 8);
  if (_i == 0)
    ck_assert_uint_le(bytes_for_each(before, with, count), 2 * bytes);
  else
    ck_assert_uint_le(bytes_for_each(before, with, count), bytes + bytes / 2);
  shuffle(numbers, count / 2);
  remove_many(count / 2, objects, numbers);
  load_many(template, count / 2, objects, numbers);
  struct memory again = measure();
  ck_assert_uint_le(again.mappings, with.mappings + 8);
  ck_assert_uint_le(again.arena, with.arena + with.arena / 16);
  shuffle(numbers, count);
  remove_many(count, objects, numbers);
  jit_world_free_removed();
  struct memory after = measure();
  ck_assert_uint_le(after.mappings, before.mappings + 8);
  ck_assert_uint_le(after.arena, before.arena + 65536);
  ck_assert_uint_le(after.heap, before.heap + 65536);
  stop();
  free(numbers);
  free((void *)objects);
}
END_TEST

/* ---- Instructions ---- */

enum operation { ADD, FIND_SYMBOL, FIND_FRAME, UNWIND, REMOVE, OPERATIONS };
static const char *const operation_names[] = {"add", "find a symbol", "find a frame's map",
                                              "unwind", "remove"};
enum { REPETITIONS = 2, CALLS = 2, EARLY = 1000 };

/* Instructions between two stops are counted. */
static void stop_for_counter(void) {
  raise(SIGSTOP);
}

/* Walks the frames of this function, of generated code, and of the function that called it. */
static int64_t look_outwards(int64_t n) {
  unw_context_t context;
  unw_cursor_t cursor;
  unw_word_t address;
  unw_getcontext(&context);
  unw_init_local(&cursor, &context);
  unw_step(&cursor);
  unw_get_reg(&cursor, UNW_REG_IP, &address);
  stop_for_counter();
  const char *text = spgc_stackmap_frame_text(address);
  stop_for_counter();
  int found = unw_step(&cursor);
  stop_for_counter();
  if (text == NULL || found <= 0)
    _exit(1);
  return 0;
}

static void load_and_remove(unsigned number) {
  struct spgc_error error;
  char name[32];
  void *address;
  snprintf(name, sizeof name, "function_%05u", number);
  LLVMMemoryBufferRef buffer = jit_template_copy(&small, number, 0);
  struct spgc_jit_object *object;
  stop_for_counter();
  spgc_jit_add(jit_world_jit, buffer, &object, &error);
  stop_for_counter();
  spgc_jit_lookup(jit_world_jit, name, &address, &error);
  stop_for_counter();
  ((number_function *)(uintptr_t)address)(1);
  stop_for_counter();
  spgc_jit_remove(jit_world_jit, object, &error);
  stop_for_counter();
}

static void operate(unsigned count) {
  struct spgc_error error;
  start();
  looks = true;
  if (spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    _exit(1);
  for (unsigned i = 0; i < count + REPETITIONS; i++)
    if (i < count)
      load(&small, i);
    else
      load_and_remove(i);
  _exit(0);
}

/* Lets the child run until it stops by itself, by steps that are counted or not. */
static uint64_t run_until_stop(pid_t child, bool counts) {
  int status;
  for (uint64_t steps = 0;; steps++) {
    ck_assert_int_eq(ptrace(counts ? PTRACE_SINGLESTEP : PTRACE_CONT, child, NULL, NULL), 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFSTOPPED(status), "the child ended");
    if (WSTOPSIG(status) == SIGSTOP)
      return steps;
  }
}

static uint64_t lesser(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* From the stop before it to the stop after it. The function's call is between two more. */
static void count_once(pid_t child, uint64_t *least) {
  least[ADD] = lesser(least[ADD], run_until_stop(child, true));
  least[FIND_SYMBOL] = lesser(least[FIND_SYMBOL], run_until_stop(child, true));
  for (int call = 0; call < CALLS; call++) {
    run_until_stop(child, false);
    uint64_t find = run_until_stop(child, true), unwind = run_until_stop(child, true);
    least[FIND_FRAME] = lesser(least[FIND_FRAME], find);
    least[UNWIND] = lesser(least[UNWIND], unwind);
  }
  run_until_stop(child, false);
  least[REMOVE] = lesser(least[REMOVE], run_until_stop(child, true));
}

/* The least numbers of instructions: tables are replaced now and then. */
static void count_all(unsigned objects, uint64_t *least) {
  pid_t child = fork();
  ck_assert_int_ge(child, 0);
  if (child == 0) {
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    operate(objects);
  }
  int status;
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  memset(least, 0xff, OPERATIONS * sizeof *least);
  for (int i = 0; i < REPETITIONS; i++) {
    run_until_stop(child, false);
    count_once(child, least);
  }
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

START_TEST(instructions_do_not_depend_on_the_number_of_objects) {
  uint64_t early[OPERATIONS], late[OPERATIONS];
  unsigned count = jit_world_number("SPGC_TEST_OBJECTS", 99999) - REPETITIONS;
  count_all(EARLY, early);
  count_all(count, late);
  for (int i = 0; i < OPERATIONS; i++) {
    printf("%s: %" PRIu64 " instructions at %u objects, %" PRIu64 " at %u\n", operation_names[i],
           early[i], EARLY, late[i], count);
    ck_assert_uint_le(late[i], early[i] + early[i] / 4);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-jit-costs");
  TCase *costs = tcase_create("costs");
  tcase_set_timeout(costs, 0);
  tcase_add_loop_test(costs, mappings_and_memory_follow_what_is_loaded, 0, 2);
  tcase_add_test(costs, instructions_do_not_depend_on_the_number_of_objects);
  suite_add_tcase(suite, costs);
  return suite_run(suite);
}
