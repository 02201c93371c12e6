/* A process locks its mappings (mlockall) up to a limit, which refusals name. Tests give up root's
 * privileges. */
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check_main.h"
#include "heap_world.h"
#include "spgc/fiber.h"
#include "spgc/pin.h"

enum { MIB = 1 << 20, NOBODY = 65534, ALLOWED = 8 * MIB };

static const char LIMIT[] = "RLIMIT_MEMLOCK (ulimit -l) allows 8192 KiB";

static void lock_what_is_mapped(void) {
  const struct rlimit limit = {ALLOWED, ALLOWED};
  ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
  ck_assert(geteuid() != 0 || setresuid(NOBODY, NOBODY, NOBODY) == 0);
  ck_assert_int_eq(mlockall(MCL_FUTURE), 0);
}

static void exhaust(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  for (size_t bytes = ALLOWED; bytes >= page; bytes /= 2)
    while (mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
      ;
}

static void check_error(enum spgc_result result, const struct spgc_error *error, const char *head) {
  ck_assert_int_eq(result, SPGC_ERROR_NO_MEMORY);
  ck_assert_msg(strstr(error->message, head) == error->message, "%s", error->message);
  ck_assert_msg(strstr(error->message, LIMIT) != NULL, "%s", error->message);
}

START_TEST(a_heap_larger_than_the_limit_is_refused) {
  struct spgc_options options;
  struct spgc_error error;
  spgc_options_default(&options);
  options.heap_limit = 64 * MIB;
  lock_what_is_mapped();
  check_error(spgc_start(&options, &error), &error, "the system refuses address space");
}
END_TEST

START_TEST(a_thread_is_refused) {
  struct spgc_error error;
  ck_assert_int_eq(spgc_start(NULL, &error), SPGC_OK);
  lock_what_is_mapped();
  exhaust();
  check_error(spgc_thread_attach(__builtin_frame_address(0), &error), &error,
              "spgc_thread_attach:");
}
END_TEST

static struct spgc_fiber_end never(void *value) {
  return (struct spgc_fiber_end){0};
}

/* The stack alone exceeds the unused limit. */
START_TEST(a_fiber_is_refused) {
  struct spgc_fiber *fiber;
  struct spgc_error error;
  world_open("");
  lock_what_is_mapped();
  check_error(spgc_fiber_create(never, NULL, ALLOWED + MIB, &fiber, &error), &error,
              "spgc_fiber_create: cannot map a stack");
}
END_TEST

/* malloc's error number does not tell the reason. */
START_TEST(a_table_is_refused) {
  struct spgc_error error;
  enum spgc_result result = SPGC_OK;
  world_open("");
  struct spgc_handle list = world_new_list(ALLOWED / 64);
  lock_what_is_mapped();
  exhaust();
  for (struct spgc_ref at = spgc_handle_get(list); result == SPGC_OK && !spgc_ref_is_null(at);
       at = spgc_ref_from_word(((const uint64_t *)spgc_ref_memory(at))[2]))
    result = spgc_pin(at, &error);
  check_error(result, &error, "spgc_pin: out of memory");
}
END_TEST

START_TEST(a_limit_without_locks_is_no_cause) {
  const struct rlimit limit = {ALLOWED, ALLOWED};
  struct spgc_fiber *fiber;
  struct spgc_error error;
  world_open("");
  ck_assert_int_eq(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
  ck_assert_int_eq(spgc_fiber_create(never, NULL, (size_t)1 << 50, &fiber, &error),
                   SPGC_ERROR_NO_MEMORY);
  ck_assert_ptr_null(strstr(error.message, "RLIMIT_MEMLOCK"));
  world_close();
}
END_TEST

CHECK_MAIN("heap-memory-lock", a_heap_larger_than_the_limit_is_refused, a_thread_is_refused,
           a_fiber_is_refused, a_table_is_refused, a_limit_without_locks_is_no_cause)
