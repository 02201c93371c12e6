/* SPGC_TEST_SEQUENCES random sequences of operations (10,000 by default), compared with a model.
 * SPGC_TEST_SEED is the seed, which is printed. */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spgc/allocate.h"
#include "spgc/exception.h"
#include "spgc/jit.h"
#include "spgc/thread.h"
#include "support/random.h"
#include "tests/integration/jit_template.h"
#include "tests/integration/jit_texts.h"
#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"
#include "tests/support/system_calls.h"

enum kind { ALONE, SHARING, CALLING, THREAD_LOCAL, CATCHING, KINDS };
static const char *const texts[KINDS] = {jit_text_alone, jit_text_sharing, jit_text_calling,
                                         jit_text_thread_local, jit_text_catching};
static struct jit_template templates[KINDS];

enum { SLOTS = 8, THREADS = 4, STEPS = 24 };

struct slot {
  struct spgc_jit_object *object;
  enum kind kind;
  unsigned other; /* the slot that a CALLING object calls */
};

struct player {
  struct spgc_random random;
  unsigned first; /* the number of its first slot's function */
  unsigned sequences;
  struct slot slots[SLOTS];
  const char *failure;
};

static _Atomic uint64_t collections, moved;

static int64_t between(int64_t n) {
  if (n % 4 == 0) {
    spgc_collect(SPGC_COLLECTION_MINOR);
    atomic_fetch_add(&collections, 1);
  }
  return 0;
}

static void *stack_base;

static void throw_out(void) {
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_unwind(stack_base, NULL);
}

static unsigned draw(struct player *player, unsigned below) {
  return (unsigned)(spgc_random_next(&player->random) % below);
}

static void expect(struct player *player, bool right, const char *what) {
  if (!right && player->failure == NULL)
    player->failure = what;
}

static unsigned number_of(const struct player *player, unsigned slot) {
  return player->first + slot;
}

static LLVMMemoryBufferRef make(const struct player *player, enum kind kind, unsigned slot,
                                unsigned other) {
  return jit_template_copy(&templates[kind], number_of(player, slot),
                           kind == CALLING ? number_of(player, other) : 0);
}

static void add(struct player *player, unsigned slot) {
  struct spgc_error error = {0};
  struct slot *to = &player->slots[slot];
  enum kind kind = (enum kind)draw(player, CALLING + 1);
  unsigned other = draw(player, SLOTS);
  if (other == slot)
    kind = ALONE;
  bool is_bound = kind != CALLING || player->slots[other].object != NULL;
  struct spgc_jit_object *object = NULL;
  enum spgc_result result =
      spgc_jit_add(jit_world_jit, make(player, kind, slot, other), &object, &error);
  if (to->object != NULL)
    expect(player, result == SPGC_ERROR_SYSTEM && strstr(error.message, "function_") != NULL,
           "a second definition");
  else if (!is_bound)
    expect(player, result == SPGC_ERROR_SYSTEM && strstr(error.message, "undefined") != NULL,
           "an undefined symbol");
  else
    expect(player, result == SPGC_OK, "an object that can be loaded");
  if (result == SPGC_OK)
    *to = (struct slot){object, kind, other};
}

static void try_refused(struct player *player, unsigned slot) {
  struct spgc_error error = {0};
  LLVMMemoryBufferRef whole = make(player, ALONE, slot, 0);
  size_t size = draw(player, (unsigned)LLVMGetBufferSize(whole));
  LLVMMemoryBufferRef part =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(LLVMGetBufferStart(whole), size, "part");
  LLVMDisposeMemoryBuffer(whole);
  expect(player, spgc_jit_add(jit_world_jit, part, NULL, &error) != SPGC_OK, "a part of an object");
  enum spgc_result result =
      spgc_jit_add(jit_world_jit, make(player, THREAD_LOCAL, slot, 0), NULL, &error);
  expect(player, result == SPGC_ERROR_UNSUPPORTED && strstr(error.message, "counter") != NULL,
         "a thread-local variable");
}

static bool has_user(const struct player *player, unsigned slot) {
  for (unsigned i = 0; i < SLOTS; i++)
    if (player->slots[i].object != NULL && player->slots[i].kind == CALLING &&
        player->slots[i].other == slot)
      return true;
  return false;
}

static void remove_one(struct player *player, unsigned slot) {
  struct spgc_error error = {0};
  bool stays = has_user(player, slot);
  struct spgc_jit_object *object = player->slots[slot].object;
  enum spgc_result result = spgc_jit_remove(jit_world_jit, object, &error);
  if (object == NULL)
    expect(player, result == SPGC_ERROR_INVALID_ARGUMENT, "the removal of nothing");
  else
    expect(player, result == (stays ? SPGC_ERROR_STATE : SPGC_OK), "a removal");
  if (result == SPGC_OK)
    player->slots[slot].object = NULL;
}

static void call(struct player *player, unsigned slot) {
  struct spgc_error error;
  char name[32];
  void *address = NULL;
  snprintf(name, sizeof name, "function_%05u", number_of(player, slot));
  bool found = spgc_jit_lookup(jit_world_jit, name, &address, &error) == SPGC_OK;
  expect(player, found == (player->slots[slot].object != NULL), "a look-up");
  int64_t argument = draw(player, 1000);
  if (found)
    expect(player, ((number_function *)(uintptr_t)address)(argument) == argument + 1, "a call");
}

static void step(struct player *player) {
  unsigned slot = draw(player, SLOTS), what = draw(player, 16);
  if (what < 6)
    add(player, slot);
  else if (what < 11)
    call(player, slot);
  else if (what < 15)
    remove_one(player, slot);
  else
    try_refused(player, slot);
}

static void remove_all(struct player *player) {
  for (bool some = true; some;) {
    some = false;
    for (unsigned slot = 0; slot < SLOTS; slot++) {
      if (player->slots[slot].object == NULL)
        continue;
      remove_one(player, slot);
      some = true;
    }
    if (player->failure != NULL)
      return;
  }
}

static void play(struct player *player) {
  for (unsigned sequence = 0; sequence < player->sequences && player->failure == NULL; sequence++) {
    for (unsigned i = 0; i < STEPS && player->failure == NULL; i++)
      step(player);
    if (draw(player, 8) == 0)
      remove_all(player);
  }
  remove_all(player);
}

static void *play_attached(void *context) {
  struct spgc_error error;
  struct player *player = context;
  if (spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    player->failure = "attaching";
  else
    play(player);
  if (player->failure == NULL)
    atomic_store(&moved, jit_world_finish().moved_objects);
  return NULL;
}

static void play_all(unsigned threads) {
  struct player players[THREADS] = {0};
  pthread_t ids[THREADS];
  uint64_t seed = jit_world_number("SPGC_TEST_SEED", (unsigned)getpid());
  printf("SPGC_TEST_SEED=%" PRIu64 "\n", seed);
  fflush(stdout);
  for (unsigned i = 0; i < threads; i++) {
    players[i].random.state = seed + i;
    players[i].first = 20000 + i * SLOTS;
    players[i].sequences = jit_world_number("SPGC_TEST_SEQUENCES", 10000) / threads;
    ck_assert_int_eq(pthread_create(&ids[i], NULL, play_attached, &players[i]), 0);
  }
  for (unsigned i = 0; i < threads; i++)
    pthread_join(ids[i], NULL);
  for (unsigned i = 0; i < threads; i++)
    ck_assert_msg(players[i].failure == NULL, "seed %" PRIu64 ": %s went wrong", seed,
                  players[i].failure);
}

static void compile_templates(void) {
  for (int kind = 0; kind < KINDS; kind++)
    jit_template_compile(&templates[kind], texts[kind]);
}

static void start(const char *options) {
  jit_world_start(options);
  jit_world_define("between", (void *)between);
  jit_world_define("throw_out", (void *)throw_out);
  compile_templates();
}

static void stop(void) {
  jit_world_stop();
  for (int kind = 0; kind < KINDS; kind++)
    jit_template_free(&templates[kind]);
}

START_TEST(random_sequences_do_what_a_model_does) {
  start("move=always,poison=on,verify=full,walk=differential,limit=64m");
  play_all(_i == 0 ? 1 : THREADS);
  ck_assert_uint_gt(moved, 100);
  ck_assert_uint_gt(collections, 100);
  stop();
}
END_TEST

/* ---- What is refused ---- */

static struct spgc_jit_object *load_copy(const struct jit_template *template, unsigned number,
                                         unsigned other) {
  struct spgc_error error;
  struct spgc_jit_object *object = NULL;
  LLVMMemoryBufferRef buffer = jit_template_copy(template, number, other);
  ck_assert_ok(spgc_jit_add(jit_world_jit, buffer, &object, &error), error);
  return object;
}

static struct spgc_jit_object *load(enum kind kind, unsigned number, unsigned other) {
  return load_copy(&templates[kind], number, other);
}

static void expect_refused(const char *text, enum spgc_result expected, const char *part) {
  struct spgc_error error = {0};
  struct spgc_jit_object *object = NULL;
  enum spgc_result result = spgc_jit_add(jit_world_jit, compile_for_jit(text, 1), &object, &error);
  ck_assert_msg(result == expected && strstr(error.message, part) != NULL, "%s: %s",
                spgc_result_name(result), error.message);
  ck_assert_ptr_null(object);
}

/* Direct accesses reach 2 GiB on x86-64, and 4 on AArch64. */
START_TEST(a_variable_that_is_too_far_away_is_an_error) {
  static const char text[] = "@environ = external dso_local global ptr\n"
                             "define ptr @get() {\n"
                             "  %p = load ptr, ptr @environ\n  ret ptr %p\n}\n";
  struct spgc_error error = {0};
  start("limit=64m");
  enum spgc_result result = spgc_jit_add(jit_world_jit, compile_for_jit(text, 1), NULL, &error);
  if (result == SPGC_OK)
    ck_assert_ptr_eq(((char **(*)(void))(uintptr_t)jit_world_lookup("get"))(), environ);
  else
    ck_assert_msg(result == SPGC_ERROR_UNSUPPORTED && strstr(error.message, "environ") != NULL,
                  "%s: %s", spgc_result_name(result), error.message);
  stop();
}
END_TEST

START_TEST(what_cannot_be_loaded_is_an_error_with_its_name) {
  start("limit=64m");
  expect_refused(jit_text_thread_local, SPGC_ERROR_UNSUPPORTED, "counter");
  expect_refused("@errors = external thread_local global i32\n"
                 "define i32 @last() {\n  %n = load i32, ptr @errors\n  ret i32 %n\n}\n",
                 SPGC_ERROR_UNSUPPORTED, "errors");
  expect_refused("@huge = global [600000000 x i8] zeroinitializer\n", SPGC_ERROR_NO_MEMORY,
                 "600000000 bytes of data");
  expect_refused("@chosen = ifunc i32 (), ptr @choose\n"
                 "define ptr @choose() {\n  ret ptr @choose\n}\n",
                 SPGC_ERROR_UNSUPPORTED, "chosen");
  stop();
}
END_TEST

/* Under an emulator, cc links for the machine that emulates. */
#ifdef __aarch64__
#define LINKER "aarch64-linux-gnu-gcc"
#else
#define LINKER "cc"
#endif

/* A linked program would not register the module. */
START_TEST(a_linker_refuses_an_object_for_the_jit_and_says_why) {
  char path[] = "/tmp/spgc-jit-object-XXXXXX", command[200], said[4096];
  start("limit=64m");
  int file = mkstemp(path);
  LLVMMemoryBufferRef object = compile_for_jit(jit_text_alone, 1);
  size_t size = LLVMGetBufferSize(object);
  ck_assert_int_eq(write(file, LLVMGetBufferStart(object), size), (ssize_t)size);
  close(file);
  LLVMDisposeMemoryBuffer(object);
  snprintf(command, sizeof command,
           "LC_ALL=C " LINKER " -shared -Wl,-z,defs,--gc-sections %s -o /dev/null 2>&1", path);
  FILE *linker = popen(command, "r");
  ck_assert_ptr_nonnull(linker);
  said[fread(said, 1, sizeof said - 1, linker)] = '\0';
  ck_assert_int_ne(pclose(linker), 0);
  unlink(path);
  ck_assert_msg(strstr(said, "spgc_code_for_the_jit_cannot_be_linked") != NULL, "%s", said);
  stop();
}
END_TEST

START_TEST(sections_may_be_aligned_above_a_page) {
  start("limit=64m");
  jit_world_load_text("@wide = global [64 x i8] zeroinitializer, align 65536\n"
                      "@table = constant [64 x i8] zeroinitializer, align 16384\n"
                      "@weak.one = extern_weak global i8\n"
                      "define i1 @missing() {\n"
                      "  %c = icmp eq ptr @weak.one, null\n  ret i1 %c\n}\n",
                      1);
  ck_assert_uint_eq((uintptr_t)jit_world_lookup("wide") % 65536, 0);
  ck_assert_uint_eq((uintptr_t)jit_world_lookup("table") % 16384, 0);
  ck_assert(((bool (*)(void))(uintptr_t)jit_world_lookup("missing"))());
  stop();
}
END_TEST

static void expect_no_jit(const char *part) {
  struct spgc_jit *jit = NULL;
  struct spgc_error error = {0};
  ck_assert_ok(spgc_llvm_initialise(&error), error);
  ck_assert_int_eq(spgc_jit_create(&jit, &error), SPGC_ERROR_SYSTEM);
  ck_assert_msg(strstr(error.message, part) != NULL, "%s", error.message);
  ck_assert_ptr_null(jit);
}

/* As SELinux does: filters the third argument of mmap. */
static void refuse_executable_mappings(void) {
  struct sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = {sizeof program / sizeof *program, program};
  ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
  ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

START_TEST(a_refusal_of_executable_memory_is_an_error) {
  refuse_executable_mappings();
  expect_no_jit("executable memory for generated code: Permission denied");
}
END_TEST

START_TEST(a_refusal_of_files_in_memory_is_an_error) {
  static const int make_file[] = {SYS_memfd_create};
  system_calls_refuse(make_file, 1, EPERM);
  expect_no_jit("a file in memory for generated code: Operation not permitted");
}
END_TEST

/* A longer file would end the process. */
START_TEST(a_limit_of_files_limits_what_is_loaded) {
  const struct rlimit limit = {1 << 20, 1 << 20};
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
  start("limit=64m");
  load(ALONE, 1, 0);
  expect_refused("@table = constant [1100000 x i8] zeroinitializer\n", SPGC_ERROR_SYSTEM,
                 "File too large");
  load(ALONE, 2, 0);
  stop();
}
END_TEST

START_TEST(memory_that_runs_out_is_an_error) {
  static const int write_file[] = {SYS_pwrite64};
  struct spgc_error error = {0};
  start("limit=64m");
  system_calls_refuse(write_file, 1, ENOSPC);
  ck_assert_int_eq(
      spgc_jit_add(jit_world_jit, jit_template_copy(&templates[ALONE], 1, 0), NULL, &error),
      SPGC_ERROR_SYSTEM);
  ck_assert_msg(strstr(error.message, "No space left") != NULL, "%s", error.message);
  stop();
}
END_TEST

/* A daemon closes all descriptors, and others get their numbers. */
START_TEST(a_program_may_close_its_descriptors) {
  start("limit=64m");
  struct spgc_error error;
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  struct player player = {.first = 30000};
  add(&player, 0);
  for (int file = 3; file < 64; file++)
    close(file);
  FILE *others[8];
  for (int i = 0; i < 8; i++)
    others[i] = tmpfile();
  for (unsigned slot = 0; slot < SLOTS; slot++)
    if (player.slots[slot].object == NULL)
      add(&player, slot);
  for (unsigned slot = 0; slot < SLOTS; slot++)
    call(&player, slot);
  remove_all(&player);
  ck_assert_msg(player.failure == NULL, "%s", player.failure);
  for (int i = 0; i < 8; i++) {
    ck_assert_int_eq(fseek(others[i], 0, SEEK_END), 0);
    ck_assert_int_eq(ftell(others[i]), 0);
  }
  spgc_thread_detach();
  stop();
}
END_TEST

static void churn(struct player *player) {
  for (int i = 0; i < 200 && player->failure == NULL; i++)
    step(player);
}

START_TEST(parent_and_child_load_apart) {
  start("limit=64m");
  struct spgc_error error;
  struct player player = {.random.state = 5, .first = 40000};
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  churn(&player);
  for (int round = 0; round < 4; round++) {
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    player.random.state += child == 0;
    churn(&player);
    if (child == 0) {
      remove_all(&player);
      _exit(player.failure != NULL);
    }
    int status;
    churn(&player);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    ck_assert_msg(player.failure == NULL, "%s", player.failure);
  }
  remove_all(&player);
  ck_assert_msg(player.failure == NULL, "%s", player.failure);
  spgc_thread_detach();
  stop();
}
END_TEST

/* ---- Which objects keep which ---- */

static int64_t call_by_number(unsigned number, int64_t argument) {
  char name[32];
  snprintf(name, sizeof name, "function_%05u", number);
  return ((number_function *)(uintptr_t)jit_world_lookup(name))(argument);
}

START_TEST(weak_definitions_stay_as_long_as_their_users) {
  struct spgc_error error;
  start(jit_world_hostile);
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  struct spgc_jit_object *first = load(SHARING, 1, 0), *second = load(SHARING, 2, 0);
  void *cell = jit_world_lookup("cell");
  ck_assert_int_eq(call_by_number(1, 5), 6);
  jit_world_remove(first);
  ck_assert_ptr_eq(jit_world_lookup("cell"), cell);
  for (int i = 0; i < 3; i++)
    ck_assert_int_eq(call_by_number(2, i), i + 1);
  struct spgc_jit_object *third = load(SHARING, 3, 0);
  jit_world_remove(second);
  ck_assert_int_eq(call_by_number(3, 8), 9);
  jit_world_remove(third);
  jit_world_free_removed();
  void *gone = NULL;
  ck_assert_int_ne(spgc_jit_lookup(jit_world_jit, "cell", &gone, &error), SPGC_OK);
  ck_assert_int_ne(spgc_jit_lookup(jit_world_jit, "function_00003", &gone, &error), SPGC_OK);
  ck_assert_uint_gt(jit_world_finish().moved_objects, 10);
  stop();
}
END_TEST

/* As when hot code is compiled again: the second object does not use its own function. */
START_TEST(weak_functions_may_be_compiled_differently) {
  struct spgc_error error;
  start(jit_world_hostile);
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  for (unsigned i = 0; i < 2; i++) {
    struct jit_template first, second;
    jit_template_compile_at(&first, jit_text_sharing, i == 0 ? 0 : 3);
    jit_template_compile_at(&second, jit_text_sharing, i == 0 ? 3 : 0);
    struct spgc_jit_object *one = load_copy(&first, 1, 0), *other = load_copy(&second, 2, 0);
    for (int n = 0; n < 3; n++)
      ck_assert_int_eq(call_by_number(1, n) + call_by_number(2, n), 2 * n + 2);
    jit_world_remove(one);
    ck_assert_int_eq(call_by_number(2, 4), 5);
    jit_world_remove(other);
    jit_template_free(&first);
    jit_template_free(&second);
  }
  ck_assert_uint_gt(jit_world_finish().moved_objects, 10);
  stop();
}
END_TEST

START_TEST(handlers_stay_as_long_as_their_users) {
  struct spgc_error error;
  stack_base = __builtin_frame_address(0);
  start(jit_world_hostile);
  ck_assert_ok(spgc_thread_attach(stack_base, &error), error);
  struct spgc_jit_object *first = load(CATCHING, 1, 0), *second = load(CATCHING, 2, 0);
  ck_assert_int_eq(call_by_number(1, 5), 6);
  jit_world_remove(first);
  for (int i = 0; i < 3; i++)
    ck_assert_int_eq(call_by_number(2, i), i + 1);
  struct spgc_jit_object *third = load(CATCHING, 3, 0);
  jit_world_remove(second);
  ck_assert_int_eq(call_by_number(3, 8), 9);
  jit_world_remove(third);
  jit_world_free_removed();
  void *gone = NULL;
  ck_assert_int_ne(spgc_jit_lookup(jit_world_jit, "guarded", &gone, &error), SPGC_OK);
  ck_assert_uint_gt(jit_world_finish().moved_objects, 5);
  stop();
}
END_TEST

START_TEST(a_strong_definition_in_use_is_not_removed) {
  struct spgc_error error;
  start(jit_world_hostile);
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  struct spgc_jit_object *used = load(ALONE, 1, 0), *user = load(CALLING, 2, 1);
  ck_assert_int_eq(spgc_jit_remove(jit_world_jit, used, &error), SPGC_ERROR_STATE);
  ck_assert_msg(strstr(error.message, "function_00001") != NULL, "%s", error.message);
  ck_assert_int_eq(call_by_number(2, 5), 6);
  jit_world_remove(user);
  jit_world_remove(used);
  ck_assert_int_eq(spgc_jit_remove(jit_world_jit, used, &error), SPGC_ERROR_INVALID_ARGUMENT);
  jit_world_finish();
  stop();
}
END_TEST

START_TEST(chains_of_users_go_together) {
  static const char left[] = "define linkonce_odr i64 @left() noinline {\n  ret i64 1\n}\n"
                             "define i64 @call_left() {\n  %r = call i64 @left()\n"
                             "  ret i64 %r\n}\n";
  static const char both[] = "define linkonce_odr i64 @left() noinline {\n  ret i64 1\n}\n"
                             "define linkonce_odr i64 @right() noinline {\n  ret i64 2\n}\n"
                             "define i64 @call_both() {\n  %a = call i64 @left()\n"
                             "  %b = call i64 @right()\n  %r = add i64 %a, %b\n  ret i64 %r\n}\n";
  static const char right[] = "define linkonce_odr i64 @right() noinline {\n  ret i64 2\n}\n"
                              "define i64 @call_right() {\n  %r = call i64 @right()\n"
                              "  ret i64 %r\n}\n";
  struct spgc_error error;
  void *address;
  start("limit=64m");
  struct spgc_jit_object *one = jit_world_load_text(left, 0), *two = jit_world_load_text(both, 0),
                         *three = jit_world_load_text(right, 0);
  jit_world_remove(two);
  jit_world_remove(one);
  ck_assert_int_eq(((int64_t (*)(void))(uintptr_t)jit_world_lookup("call_right"))(), 2);
  ck_assert_int_eq(((int64_t (*)(void))(uintptr_t)jit_world_lookup("left"))(), 1);
  jit_world_remove(three);
  jit_world_free_removed();
  ck_assert_int_ne(spgc_jit_lookup(jit_world_jit, "left", &address, &error), SPGC_OK);
  ck_assert_int_ne(spgc_jit_lookup(jit_world_jit, "right", &address, &error), SPGC_OK);
  stop();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-jit-objects");
  TCase *sequences = tcase_create("sequences");
  tcase_set_timeout(sequences, 0);
  tcase_add_loop_test(sequences, random_sequences_do_what_a_model_does, 0, 2);
  suite_add_tcase(suite, sequences);
  TCase *refusals = tcase_create("refusals");
  tcase_set_timeout(refusals, 120);
  tcase_add_test(refusals, what_cannot_be_loaded_is_an_error_with_its_name);
  tcase_add_test(refusals, a_variable_that_is_too_far_away_is_an_error);
  tcase_add_test(refusals, a_linker_refuses_an_object_for_the_jit_and_says_why);
  tcase_add_test(refusals, sections_may_be_aligned_above_a_page);
  tcase_add_test(refusals, a_limit_of_files_limits_what_is_loaded);
  tcase_add_test(refusals, a_program_may_close_its_descriptors);
  suite_add_tcase(suite, refusals);
  TCase *filtered = tcase_create("filtered");
  tcase_set_timeout(filtered, 120);
  tcase_set_tags(filtered, "seccomp");
  tcase_add_test(filtered, a_refusal_of_executable_memory_is_an_error);
  tcase_add_test(filtered, a_refusal_of_files_in_memory_is_an_error);
  tcase_add_test(filtered, memory_that_runs_out_is_an_error);
  suite_add_tcase(suite, filtered);
  TCase *lifetimes = tcase_create("lifetimes");
  tcase_set_timeout(lifetimes, 120);
  tcase_add_test(lifetimes, parent_and_child_load_apart);
  tcase_add_test(lifetimes, weak_definitions_stay_as_long_as_their_users);
  tcase_add_test(lifetimes, weak_functions_may_be_compiled_differently);
  tcase_add_test(lifetimes, handlers_stay_as_long_as_their_users);
  tcase_add_test(lifetimes, a_strong_definition_in_use_is_not_removed);
  tcase_add_test(lifetimes, chains_of_users_go_together);
  suite_add_tcase(suite, lifetimes);
  return suite_run(suite);
}
