#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spgc/handle.h"
#include "spgc/thread.h"
#include "tests/integration/jit_world.h"
#include "tests/support/suite.h"

enum { COLLECTIONS = 20 };

static atomic_bool spinning;
static int64_t lost;

static void *spin(void *function) {
  struct spgc_error error;
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  atomic_store(&spinning, true);
  lost = ((number_function *)(uintptr_t)function)(0);
  spgc_thread_detach();
  return NULL;
}

static uint64_t moved_objects(void) {
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  return statistics.moved_objects;
}

START_TEST(a_loop_without_calls_lets_other_threads_collect) {
  struct spgc_error error;
  pthread_t thread;
  jit_world_start("move=always,limit=64m");
  jit_world_load_file("spin.ll", (unsigned)_i);
  _Atomic int64_t *finished = jit_world_lookup("finished");
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  ck_assert_int_eq(pthread_create(&thread, NULL, spin, jit_world_lookup("spin")), 0);
  while (!atomic_load(&spinning))
    spgc_collect(SPGC_COLLECTION_FULL);
  while (moved_objects() < COLLECTIONS / 2) /* however late the loop begins */
    spgc_collect(SPGC_COLLECTION_FULL);
  spgc_thread_detach();
  atomic_store(finished, 1);
  pthread_join(thread, NULL);
  ck_assert_int_eq(lost, 0);
  jit_world_stop();
}
END_TEST

static int divert_errors(FILE *file) {
  int before = dup(STDERR_FILENO);
  ck_assert_int_ne(before, -1);
  fcntl(fileno(file), F_SETFL, O_APPEND);
  ck_assert_int_ne(dup2(fileno(file), STDERR_FILENO), -1);
  return before;
}

static void restore_errors(int before) {
  dup2(before, STDERR_FILENO);
  close(before);
}

static bool has_line_with(FILE *file, const char *text) {
  char line[1024];
  rewind(file);
  while (fgets(line, sizeof line, file) != NULL)
    if (strstr(line, text) != NULL)
      return true;
  return false;
}

START_TEST(the_log_names_functions_that_were_compiled_here) {
  struct spgc_error error;
  pthread_t thread;
  FILE *log = tmpfile();
  ck_assert_ptr_nonnull(log);
  int errors = divert_errors(log);
  jit_world_start("limit=64m,log=gc,slow_stop=always");
  jit_world_load_file("spin.ll", (unsigned)_i);
  _Atomic int64_t *finished = jit_world_lookup("finished");
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  ck_assert_int_eq(pthread_create(&thread, NULL, spin, jit_world_lookup("spin")), 0);
  while (!has_line_with(log, "until the last thread came from spin (code at 0x"))
    spgc_collect(SPGC_COLLECTION_FULL);
  spgc_thread_detach();
  atomic_store(finished, 1);
  pthread_join(thread, NULL);
  restore_errors(errors);
  fclose(log);
  jit_world_stop();
}
END_TEST

/* Steps between two polls. A step is a round of a loop, or a call, of several instructions. The row
 * of calls has no loop, so only its length bounds its steps. */
enum { MOST_STEPS = 1 << 14, MOST_OF_ONE_CALL = 1 << 11, ROW = 40 };

static _Atomic int64_t *steps;
static int64_t steps_of_last_poll, longest_way;
static int polls;

static void measure_way(void *context) {
  int64_t way = atomic_load(steps) - steps_of_last_poll;
  longest_way = way > longest_way ? way : longest_way;
  steps_of_last_poll += way;
  polls++;
  spgc_thread_interrupt();
}

static void append_loop(FILE *text, int i) {
  fprintf(text,
          "  br label %%loop%d\n"
          "loop%d:\n"
          "  %%i%d = phi i64 [ 0, %%%s%.0d ], [ %%n%d, %%loop%d ]\n"
          "  %%s%d = load volatile i64, ptr @steps\n"
          "  %%t%d = add i64 %%s%d, 1\n"
          "  store volatile i64 %%t%d, ptr @steps\n"
          "  %%n%d = add i64 %%i%d, 1\n"
          "  %%d%d = icmp eq i64 %%n%d, 1000\n"
          "  br i1 %%d%d, label %%done%d, label %%loop%d\n"
          "done%d:\n",
          i, i, i, i == 1 ? "entry" : "done", i - 1, i, i, i, i, i, i, i, i, i, i, i, i, i, i);
}

static void append_rows(FILE *text) {
  static const char head[] = "define i64 @%s(i64 %%unused) gc \"statepoint-example\" {\nentry:\n";
  static const char end[] = "  %result = load volatile i64, ptr @steps\n  ret i64 %result\n}\n";
  fprintf(text, head, "loops_in_a_row");
  for (int i = 1; i <= ROW; i++)
    append_loop(text, i);
  fputs(end, text);
  fprintf(text, head, "calls_in_a_row");
  for (int i = 0; i < ROW; i++)
    fputs("  call void @many_steps()\n", text);
  fputs(end, text);
}

static char *long_work(void) {
  char *text = NULL, *file = compile_read("long_work.ll");
  size_t size = 0;
  FILE *stream = open_memstream(&text, &size);
  fputs(file, stream);
  append_rows(stream);
  fclose(stream);
  free(file);
  return text;
}

static void load_long_work(unsigned optimisation, enum spgc_polls kind) {
  struct spgc_error error;
  struct spgc_lower_options options;
  spgc_lower_options_default(&options);
  options.code = SPGC_CODE_JIT;
  options.optimisation = optimisation;
  options.polls = kind;
  char *text = long_work();
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = compile_parse(context, text);
  LLVMMemoryBufferRef object;
  free(text);
  ck_assert_ok(spgc_lower_module(module, &options, &error), error);
  ck_assert_ok(spgc_emit_module(module, &options, LLVMObjectFile, &object, &error), error);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  ck_assert_ok(spgc_jit_add(jit_world_jit, object, NULL, &error), error);
}

static const struct {
  const char *function;
  int64_t argument, steps;
  int64_t most;         /* between two polls */
  bool without_entries; /* also bounded if only loops poll */
} works[] = {
    {"nested_loops", 0, 4000000, MOST_STEPS, true},
    {"calls_of_leaves", 100000, 100000, MOST_STEPS, true},
    {"calls_through_a_pointer", 100000, 100000, MOST_STEPS, false},
    {"calls_of_loops", 0, 1000000, MOST_STEPS, true},
    {"calls_in_a_row", 0, ROW * 1000, ROW *MOST_OF_ONE_CALL / 2, false},
    {"loops_in_a_row", 0, ROW * 1000, MOST_STEPS, true},
    {"rare_calls", 400000, 400000, MOST_STEPS, true},
    {"two_entries", 100000, 100000, MOST_STEPS, true},
    {"tail_recursion", 100000, 100000, MOST_STEPS, false},
};
enum { WORKS = sizeof works / sizeof *works, LEVELS = 4 };

static void measure_work(int work) {
  number_function *function = (number_function *)(uintptr_t)jit_world_lookup(works[work].function);
  const char *name = works[work].function;
  atomic_store(steps, 0);
  steps_of_last_poll = longest_way = polls = 0;
  spgc_thread_interrupt();
  function(works[work].argument);
  measure_way(NULL);
  ck_assert_msg(steps_of_last_poll >= works[work].steps, "%s: %ld steps", name,
                (long)steps_of_last_poll);
  ck_assert_msg(polls > 1, "%s: no poll", name);
  ck_assert_msg(longest_way <= works[work].most, "%s: %ld steps between polls", name,
                (long)longest_way);
}

static void measure_works(unsigned optimisation, enum spgc_polls kind) {
  struct spgc_error error;
  jit_world_start("limit=64m");
  load_long_work(optimisation, kind);
  steps = jit_world_lookup("steps");
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  spgc_set_interrupt_hook(measure_way, NULL);
  for (int i = 0; i < WORKS; i++)
    if (kind == SPGC_POLLS_ENTRIES_AND_LOOPS || works[i].without_entries)
      measure_work(i);
  spgc_set_interrupt_hook(NULL, NULL);
  spgc_thread_detach();
  jit_world_stop();
}

START_TEST(work_between_polls_is_bounded) {
  measure_works((unsigned)_i, SPGC_POLLS_ENTRIES_AND_LOOPS);
}
END_TEST

START_TEST(work_between_polls_is_bounded_where_only_loops_poll) {
  measure_works((unsigned)_i, SPGC_POLLS_LOOPS);
}
END_TEST

static jmp_buf escape;
static atomic_int hook_calls;

static void leave(void *context) {
  hook_calls++;
  longjmp(escape, 1);
}

static void interrupt(int signal) {
  spgc_thread_interrupt();
}

static void *spin_until_interrupted(void *function) {
  struct spgc_error error;
  ck_assert_ok(spgc_thread_attach(__builtin_frame_address(0), &error), error);
  struct spgc_scope scope = spgc_scope_open();
  if (setjmp(escape) == 0) {
    spinning = true;
    ((number_function *)(uintptr_t)function)(0);
    ck_abort_msg("the loop ended");
  }
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_FULL);
  spgc_thread_detach();
  return NULL;
}

START_TEST(a_signal_handler_ends_a_loop_without_calls) {
  pthread_t thread;
  const struct sigaction action = {.sa_handler = interrupt};
  sigaction(SIGUSR1, &action, NULL);
  jit_world_start("move=always,limit=64m");
  jit_world_load_file("spin.ll", (unsigned)_i);
  spgc_set_interrupt_hook(leave, NULL);
  ck_assert_int_eq(pthread_create(&thread, NULL, spin_until_interrupted, jit_world_lookup("spin")),
                   0);
  while (!spinning)
    continue;
  pthread_kill(thread, SIGUSR1);
  pthread_join(thread, NULL);
  ck_assert_int_eq(hook_calls, 1);
  spgc_set_interrupt_hook(NULL, NULL);
  jit_world_stop();
}
END_TEST

int main(void) {
  Suite *suite = suite_create("codegen-poll");
  TCase *tests = tcase_create("poll");
  tcase_set_timeout(tests, 60);
  tcase_add_loop_test(tests, a_loop_without_calls_lets_other_threads_collect, 0, LEVELS);
  tcase_add_loop_test(tests, the_log_names_functions_that_were_compiled_here, 0, LEVELS);
  tcase_add_loop_test(tests, work_between_polls_is_bounded, 0, LEVELS);
  tcase_add_loop_test(tests, work_between_polls_is_bounded_where_only_loops_poll, 0, LEVELS);
  tcase_add_loop_test(tests, a_signal_handler_ends_a_loop_without_calls, 0, LEVELS);
  suite_add_tcase(suite, tests);
  return suite_run(suite);
}
