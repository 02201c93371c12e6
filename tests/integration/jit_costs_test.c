/* Mappings, bytes, and instructions (counted by single steps, which AArch64 does not offer) of
 * SPGC_TEST_OBJECTS objects, 99,999 by default. */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
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

static struct jit_template smallest, small, common;
/* Since GCC 13, libgcc's tree takes nearly 40 bytes for each object: 151 % of the smallest. */
static const struct loaded {
  const struct jit_template *template;
  unsigned most; /* memory, in percent of the object */
} kinds[] = {{&smallest, 155}, {&small, 130}, {&common, 100}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int64_t (*look)(int64_t n);

static int64_t between(int64_t n) {
  return look != NULL ? look(n) : 0;
}

static void start(void) {
  jit_world_start("limit=64m");
  jit_world_define("between", (void *)between);
  jit_template_compile(&smallest, jit_text_alone);
  jit_template_compile(&small, jit_text_sharing);
  jit_template_compile(&common, jit_text_of_many_calls);
}

static void stop(void) {
  jit_world_stop();
  jit_template_free(&smallest);
  jit_template_free(&small);
  jit_template_free(&common);
}

struct memory {
  size_t mappings, arena, heap; /* bytes of the JIT's areas and of malloc */
};

/* Of code and read-only data. Pages never read do not count as resident. */
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
  const struct jit_template *template = kinds[_i].template;
  size_t bytes = loaded_bytes(template);
  shuffle(numbers, count);
  load_many(template, count, objects, numbers); /* makes now what is made once */
  remove_many(count, objects, numbers);
  jit_world_free_removed();
  struct memory before = measure();
  load_many(template, count, objects, numbers);
  struct memory with = measure();
  printf("%u objects of %zu bytes: %zu mappings, %zu bytes each in the arena, %zu of malloc\n",
         count, bytes, with.mappings - before.mappings, (with.arena - before.arena) / count,
         (with.heap - before.heap) / count);
  ck_assert_uint_le(with.mappings, before.mappings + 8);
  ck_assert_uint_le(bytes_for_each(before, with, count) * 100, bytes * kinds[_i].most);
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

#ifdef __x86_64__
enum operation { ADD, FIND_SYMBOL, FIND_FRAME, UNWIND, REMOVE, OPERATIONS };
static const char *const operation_names[] = {"add", "find a symbol", "find a frame's map",
                                              "unwind", "remove"};
enum { EARLY = 1000, TRAP_FLAG = 0x100 };

static uint64_t counts[OPERATIONS];
static bool is_counted;

static volatile uint64_t instructions;

/* Between two breakpoints, the processor traps after each instruction. */
static void count_instruction(int signal, siginfo_t *trap, void *context) {
  if (trap->si_code == TRAP_TRACE)
    instructions++;
  else
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] ^= TRAP_FLAG;
}

/* libunwind blocks all signals while it holds its locks, but the processor traps there too. */
static int mask_all_but_traps(int how, const sigset_t *set, sigset_t *before) {
  enum { KERNEL_MASK_BYTES = 8 };
  sigset_t without_traps;
  if (set != NULL) {
    without_traps = *set;
    sigdelset(&without_traps, SIGTRAP);
  }
  if (before != NULL)
    sigemptyset(before);
  return (int)syscall(SYS_rt_sigprocmask, how, set == NULL ? NULL : &without_traps, before,
                      KERNEL_MASK_BYTES);
}

/* libunwind 1.6 calls the first, 1.8 the second. */
__attribute__((visibility("default"))) int sigprocmask(int how, const sigset_t *set,
                                                       sigset_t *before) {
  return mask_all_but_traps(how, set, before);
}

__attribute__((visibility("default"))) int pthread_sigmask(int how, const sigset_t *set,
                                                           sigset_t *before) {
  return mask_all_but_traps(how, set, before) == 0 ? 0 : errno;
}

static void start_count(void) {
  instructions = 0;
  if (is_counted)
    __asm__ volatile("int3" ::: "memory");
}

static void end_count(enum operation operation) {
  if (is_counted)
    __asm__ volatile("int3" ::: "memory");
  counts[operation] = instructions;
}

static int64_t look_outwards(int64_t n) {
  unw_context_t context;
  unw_cursor_t cursor;
  unw_word_t address;
  unw_getcontext(&context);
  unw_init_local(&cursor, &context);
  unw_step(&cursor);
  unw_get_reg(&cursor, UNW_REG_IP, &address);
  start_count();
  const char *text = spgc_stackmap_frame_text(address);
  end_count(FIND_FRAME);
  start_count();
  int found = unw_step(&cursor);
  end_count(UNWIND);
  ck_assert(text != NULL && found > 0);
  return 0;
}

static void load_and_remove(unsigned number) {
  struct spgc_error error;
  char name[32];
  void *address;
  snprintf(name, sizeof name, "function_%05u", number);
  LLVMMemoryBufferRef buffer = jit_template_copy(&small, number, 0);
  struct spgc_jit_object *object;
  start_count();
  spgc_jit_add(jit_world_jit, buffer, &object, &error);
  end_count(ADD);
  start_count();
  spgc_jit_lookup(jit_world_jit, name, &address, &error);
  end_count(FIND_SYMBOL);
  ((number_function *)(uintptr_t)address)(1);
  start_count();
  spgc_jit_remove(jit_world_jit, object, &error);
  end_count(REMOVE);
}

/* The second time, because the first makes what is made once. */
static void count_all(unsigned number, uint64_t counted[OPERATIONS]) {
  for (unsigned i = 0; i < 2; i++) {
    is_counted = i == 1;
    load_and_remove(number + i);
  }
  memcpy(counted, counts, sizeof counts);
}

START_TEST(instructions_do_not_depend_on_the_number_of_objects) {
  uint64_t early[OPERATIONS], late[OPERATIONS];
  struct spgc_error error;
  struct sigaction action = {.sa_sigaction = count_instruction, .sa_flags = SA_SIGINFO};
  ck_assert_int_eq(sigaction(SIGTRAP, &action, NULL), 0);
  unsigned count = jit_world_number("SPGC_TEST_OBJECTS", 99999) - 2;
  start();
  look = look_outwards;
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  for (unsigned i = 0; i < EARLY; i++)
    load(&small, i);
  count_all(EARLY, early);
  for (unsigned i = EARLY; i < count; i++)
    load(&small, i);
  count_all(count, late);
  for (int i = 0; i < OPERATIONS; i++) {
    printf("%s: %" PRIu64 " instructions at %u objects, %" PRIu64 " at %u\n", operation_names[i],
           early[i], EARLY, late[i], count);
    ck_assert_uint_gt(early[i], 100);
    ck_assert_uint_le(late[i], early[i] + early[i] / 4);
  }
}
END_TEST
#endif

int main(void) {
  Suite *suite = suite_create("codegen-jit-costs");
  TCase *costs = tcase_create("costs");
  tcase_set_timeout(costs, 0);
  tcase_add_loop_test(costs, mappings_and_memory_follow_what_is_loaded, 0, KINDS);
#ifdef __x86_64__
  tcase_add_test(costs, instructions_do_not_depend_on_the_number_of_objects);
#endif
  suite_add_tcase(suite, costs);
  return suite_run(suite);
}
