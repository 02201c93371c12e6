/* The constructor of the library SPGC_TEST_PLUGIN, which the loader calls under its lock, uses the
 * JIT while other threads do. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/integration/jit_world.h"
#include "tests/support/check_main.h"

__attribute__((visibility("default"))) void loader_is_locked(void);

/* Both ask the loader, under its lock, for a symbol that no object defines. */
static void look_up(void) {
  jit_world_lookup("strfry");
}

static void add(void) {
  static const char text[] = "declare ptr @memfrob(ptr, i64)\n"
                             "define ptr @frob(ptr %text) {\n"
                             "  %same = call ptr @memfrob(ptr %text, i64 1)\n"
                             "  ret ptr %same\n}\n";
  jit_world_load_text(text, 2);
}

static struct user {
  void (*use)(void);
  pthread_t thread;
  atomic_int number; /* the system's, or 0 */
} users[] = {{.use = look_up}, {.use = add}};
enum { USERS = sizeof users / sizeof *users };

static void *use(void *argument) {
  struct user *user = argument;
  atomic_store(&user->number, (int)syscall(SYS_gettid));
  user->use();
  return NULL;
}

/* Or has ended, should the loader need no lock for that. */
static bool is_asleep(int thread) {
  char path[64], state = 'S';
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  FILE *file = fopen(path, "r");
  if (file != NULL && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
    state = '?';
  if (file != NULL)
    fclose(file);
  return state == 'S' || state == 'Z' || state == 'X';
}

static bool was_called;

void loader_is_locked(void) {
  for (int i = 0; i < USERS; i++)
    ck_assert_int_eq(pthread_create(&users[i].thread, NULL, use, &users[i]), 0);
  for (int i = 0; i < USERS; i++)
    while (atomic_load(&users[i].number) == 0 || !is_asleep(atomic_load(&users[i].number)))
      usleep(100);
  jit_world_define("of_the_library", (void *)loader_is_locked);
  was_called = true;
}

START_TEST(a_constructor_may_use_the_jit) {
  jit_world_start("limit=64m");
  void *library = dlopen(getenv("SPGC_TEST_PLUGIN"), RTLD_NOW);
  ck_assert_msg(library != NULL && was_called, "%s", dlerror());
  for (int i = 0; i < USERS; i++)
    pthread_join(users[i].thread, NULL);
  ck_assert_ptr_eq(jit_world_lookup("of_the_library"), (void *)loader_is_locked);
  ck_assert_ptr_nonnull(jit_world_lookup("frob"));
  dlclose(library);
  jit_world_stop();
}
END_TEST

CHECK_MAIN("codegen-jit-loader", a_constructor_may_use_the_jit)
