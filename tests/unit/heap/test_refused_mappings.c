/* No object is lost, and refused operations can be repeated. --wrap redirects the library's calls
 * here. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check_main.h"
#include "gc/plan/collection.h"
#include "gc/state/locks.h"
#include "gc/state/runtime.h"
#include "heap/blocks.h"
#include "heap/remembered/buffers.h"
#include "heap_world.h"
#include "support/fatal.h"

void *__real_mmap64(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __real_munmap(void *address, size_t bytes);
int __real_mprotect(void *address, size_t bytes, int protection);
void *__wrap_mmap64(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *address, size_t bytes);
int __wrap_mprotect(void *address, size_t bytes, int protection);
int __real_madvise(void *address, size_t bytes, int advice);
int __wrap_madvise(void *address, size_t bytes, int advice);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument);
int __real_pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void));
int __wrap_pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void));

static void do_nothing(void) {
}

static struct {
  int map_countdown;       /* calls of mmap until a refusal; negative: none */
  int protect_countdown;   /* calls of mprotect, likewise */
  int advise_countdown;    /* calls of madvise, likewise */
  int thread_countdown;    /* calls of pthread_create, likewise */
  bool refuse_protections; /* to make memory accessible */
  bool refuse_closing;     /* to make memory inaccessible */
  bool refuse_maps, refuse_unmapping, refuse_advice, refuse_threads, refuse_handlers;
  int refused;
  size_t mapped_bytes; /* by calls not undone yet */
  void (*when_registered)(void);
} system_calls = {.map_countdown = -1,
                  .protect_countdown = -1,
                  .advise_countdown = -1,
                  .thread_countdown = -1,
                  .when_registered = do_nothing};

static int refuse(int error) {
  system_calls.refused++;
  errno = error;
  return -1;
}

void *__wrap_mmap64(void *address, size_t bytes, int protection, int flags, int file,
                    off_t offset) {
  if (system_calls.map_countdown-- == 0 || system_calls.refuse_maps) {
    refuse(ENOMEM);
    return MAP_FAILED;
  }
  system_calls.mapped_bytes += bytes;
  return __real_mmap64(address, bytes, protection, flags, file, offset);
}

int __wrap_munmap(void *address, size_t bytes) {
  if (system_calls.refuse_unmapping)
    return refuse(ENOMEM);
  system_calls.mapped_bytes -= bytes;
  return __real_munmap(address, bytes);
}

int __wrap_mprotect(void *address, size_t bytes, int protection) {
  if (system_calls.protect_countdown-- == 0 ||
      (protection == PROT_NONE ? system_calls.refuse_closing : system_calls.refuse_protections))
    return refuse(ENOMEM);
  return __real_mprotect(address, bytes, protection);
}

/* As if the pages were locked. */
int __wrap_madvise(void *address, size_t bytes, int advice) {
  if (system_calls.advise_countdown-- == 0 || system_calls.refuse_advice)
    return refuse(EINVAL);
  return __real_madvise(address, bytes, advice);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument) {
  if (system_calls.thread_countdown-- == 0 || system_calls.refuse_threads) {
    refuse(EAGAIN);
    return EAGAIN;
  }
  return __real_pthread_create(thread, attributes, run, argument);
}

/* Fork may wait for any lock of the library while it holds one that this call takes. */
int __wrap_pthread_atfork(void (*before)(void), void (*parent)(void), void (*child)(void)) {
  for (unsigned i = 0; i < SPGC_LOCK_COUNT; i++) {
    if (pthread_mutex_trylock(&spgc_locks[i]) != 0)
      abort();
    pthread_mutex_unlock(&spgc_locks[i]);
  }
  int error = system_calls.refuse_handlers ? ENOMEM : __real_pthread_atfork(before, parent, child);
  system_calls.when_registered();
  return error;
}

START_TEST(handlers_of_fork_are_registered_without_a_lock_and_when_memory_is_free_again) {
  int status;
  struct spgc_error error;
  system_calls.refuse_handlers = true;
  for (int i = 0; i < 2; i++) {
    ck_assert_int_eq(spgc_start(NULL, &error), SPGC_ERROR_NO_MEMORY);
    ck_assert_str_eq(error.message, "cannot register fork handlers: out of memory");
  }
  system_calls.refuse_handlers = false;
  world_open("");
  world_check_list(world_new_list(10), 10);
  pid_t child = fork();
  if (child == 0) {
    spgc_collect(SPGC_COLLECTION_FULL);
    _exit(0);
  }
  ck_assert_int_eq(waitpid(child, &status, 0), child);
  ck_assert_int_eq(status, 0);
  world_close();
}
END_TEST

static sem_t is_forking, is_registered, has_forked;

static void wait_for_registration(void) {
  if (system_calls.when_registered == do_nothing)
    return;
  sem_post(&is_forking);
  sem_wait(&is_registered);
}

static void let_fork(void) {
  sem_post(&is_registered);
  sem_wait(&has_forked);
}

/* The child does not know whether the handlers were registered. Its own child is made with them. */
static void use_heap_in_child(void) {
  int status;
  system_calls.when_registered = do_nothing;
  world_open("");
  world_check_list(world_new_list(10), 10);
  pid_t child = fork();
  spgc_collect(SPGC_COLLECTION_FULL);
  if (child == 0)
    _exit(0);
  _exit(waitpid(child, &status, 0) == child && status == 0 ? 0 : 1);
}

static void *fork_beside(void *status) {
  pid_t child = fork();
  if (child == 0)
    use_heap_in_child();
  sem_post(&has_forked);
  spgc_require(waitpid(child, status, 0) == child, "no child to wait for");
  return NULL;
}

/* Older C libraries register nothing while another thread forks. */
START_TEST(a_child_that_was_forked_while_handlers_were_registered_forks) {
  pthread_t forker;
  int status = -1;
  if (!__GLIBC_PREREQ(2, 36))
    return;
  system_calls.when_registered = let_fork;
  sem_init(&is_forking, 0, 0);
  sem_init(&is_registered, 0, 0);
  sem_init(&has_forked, 0, 0);
  ck_assert_int_eq(__real_pthread_atfork(wait_for_registration, NULL, NULL), 0);
  ck_assert_int_eq(pthread_create(&forker, NULL, fork_beside, &status), 0);
  sem_wait(&is_forking);
  ck_assert_int_eq(spgc_start(NULL, NULL), SPGC_OK);
  pthread_join(forker, NULL);
  ck_assert_int_eq(status, 0);
  spgc_stop();
}
END_TEST

static void refuse_each_of_start(bool poison) {
  struct spgc_options options;
  spgc_options_default(&options);
  options.heap_limit = 64 << 20;
  options.poison = poison;
  for (int call = 0;; call++) {
    struct spgc_error error;
    system_calls.map_countdown = call;
    system_calls.refused = 0;
    enum spgc_result result = spgc_start(&options, &error);
    if (system_calls.refused == 0) {
      ck_assert_int_eq(result, SPGC_OK);
      ck_assert_int_gt(call, 2);
      break;
    }
    if (result == SPGC_OK) /* a smaller stack will do, and no record of vacated objects */
      spgc_stop();
    else
      ck_assert_int_eq(result, SPGC_ERROR_NO_MEMORY);
    ck_assert_uint_eq(system_calls.mapped_bytes, 0);
  }
  ck_assert_uint_gt(system_calls.mapped_bytes, 0);
  spgc_stop();
  ck_assert_uint_eq(system_calls.mapped_bytes, 0);
}

START_TEST(a_start_that_is_refused_leaves_nothing_behind) {
  refuse_each_of_start(false);
  refuse_each_of_start(true);
}
END_TEST

START_TEST(a_limit_nobody_chose_is_halved_until_it_is_granted) {
  system_calls.map_countdown = 0;
  ck_assert_int_eq(spgc_start(NULL, NULL), SPGC_OK);
  ck_assert_int_eq(system_calls.refused, 1);
  spgc_stop();
}
END_TEST

static void *attach_and_detach(void *result) {
  *(enum spgc_result *)result = spgc_thread_attach(__builtin_frame_address(0), NULL);
  if (*(enum spgc_result *)result == SPGC_OK)
    spgc_thread_detach();
  return NULL;
}

static void *attach_elsewhere(void *result) {
  pthread_t thread;
  ck_assert_int_eq(pthread_create(&thread, NULL, attach_and_detach, result), 0);
  ck_assert_int_eq(pthread_join(thread, NULL), 0);
  return NULL;
}

START_TEST(a_thread_that_cannot_attach_leaves_nothing_behind) {
  enum spgc_result result;
  world_open_fixed("threads=1,concurrent=off");
  spgc_call_blocking(attach_elsewhere, &result); /* maps what stays */
  size_t mapped = system_calls.mapped_bytes;
  system_calls.map_countdown = 0;
  spgc_call_blocking(attach_elsewhere, &result);
  ck_assert_int_eq(result, SPGC_ERROR_NO_MEMORY);
  system_calls.protect_countdown = 0;
  spgc_call_blocking(attach_elsewhere, &result);
  ck_assert_int_eq(result, SPGC_ERROR_NO_MEMORY);
  ck_assert_int_eq(system_calls.refused, 2);
  spgc_call_blocking(attach_elsewhere, &result);
  ck_assert_int_eq(result, SPGC_OK);
  ck_assert_uint_eq(system_calls.mapped_bytes, mapped);
  world_close();
}
END_TEST

static int hook_calls;

static void count_hook_calls(void *context, size_t requested) {
  hook_calls++;
}

START_TEST(allocation_survives_a_refusal) {
  world_open("");
  spgc_set_out_of_memory_hook(count_hook_calls, NULL);
  system_calls.refuse_protections = true;
  ck_assert(spgc_ref_is_null(spgc_allocate(&world_pair)));
  ck_assert(spgc_ref_is_null(spgc_allocate_array(&world_bytes, 100000)));
  ck_assert_int_eq(hook_calls, 2);
  ck_assert_int_gt(system_calls.refused, 0);
  system_calls.refuse_protections = false;
  world_check_list(world_new_list(1000), 1000);
  ck_assert(!spgc_ref_is_null(spgc_allocate_array(&world_bytes, 100000)));
  ck_assert_int_eq(hook_calls, 2);
  world_close();
}
END_TEST

START_TEST(a_collection_without_memory_for_copies_marks_and_sweeps_in_place) {
  world_open_fixed("poison=on,nursery=8m");
  struct spgc_handle list = world_new_list(50000);
  uint64_t used = world_statistics().heap_bytes;
  struct spgc_scope scope = spgc_scope_open();
  world_new_list(50000);
  spgc_scope_close(scope);
  world_verify();
  system_calls.refuse_protections = true;
  struct spgc_statistics before = world_statistics();
  ck_assert_uint_gt(before.heap_bytes, used * 3 / 2);
  uintptr_t address = spgc_handle_get(list).word;
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_eq(world_statistics().in_place_collections, 1);
  ck_assert_uint_eq(world_statistics().full_collections, before.full_collections + 1);
  ck_assert_uint_eq(spgc_handle_get(list).word, address);
  ck_assert_uint_le(world_statistics().heap_bytes, used + (64 << 10));
  ck_assert_int_gt(system_calls.refused, 0);
  world_verify();
  system_calls.refuse_protections = false;
  spgc_collect(SPGC_COLLECTION_FULL);
  ck_assert_uint_eq(world_statistics().in_place_collections, 1);
  world_check_list(list, 50000);
  world_close();
}
END_TEST

START_TEST(a_collection_in_place_leaves_no_field_in_a_store_buffer) {
  world_open_fixed("nursery=8m");
  struct spgc_handle pair = spgc_handle_make(spgc_allocate(&world_pair));
  spgc_collect(SPGC_COLLECTION_FULL);
  world_new_list(50000);
  world_set(pair, 2, spgc_ref_null());
  ck_assert_uint_eq(spgc_store_buffer_count(spgc_runtime.heap.store_buffers), 1);
  system_calls.refuse_protections = true;
  spgc_collect(SPGC_COLLECTION_MINOR);
  system_calls.refuse_protections = false;
  ck_assert_uint_eq(world_statistics().in_place_collections, 1);
  ck_assert_uint_eq(spgc_store_buffer_count(spgc_runtime.heap.store_buffers), 0);
  world_close();
}
END_TEST

/* `count` workers, with blocks for all PLABs besides `copies` blocks. */
static void expect_workers(size_t copies, uint32_t count) {
  struct collection collection = {0};
  spgc_phases_prepare_workers(&collection, copies);
  ck_assert_uint_eq(collection.parallelism.extra_workers, count);
  ck_assert_uint_ge(spgc_blocks_accessible(&spgc_runtime.heap, SPGC_ZONE_SINGLES),
                    copies + (size_t)SPGC_PLABS * count);
}

START_TEST(workers_take_part_if_there_are_blocks_for_their_plabs) {
  enum { WORKERS = 3 };
  world_open_fixed("threads=4,concurrent=off,limit=64m");
  world_new_list(10);
  size_t copies = spgc_blocks_accessible(&spgc_runtime.heap, SPGC_ZONE_SINGLES);
  system_calls.refuse_protections = true;
  for (uint32_t count = 0; count <= WORKERS; count++)
    expect_workers(copies - (size_t)SPGC_PLABS * count, count);
  ck_assert_int_gt(system_calls.refused, 0);
  system_calls.refuse_protections = false;
  expect_workers(copies, WORKERS);
  world_close();
}
END_TEST

START_TEST(a_full_heap_that_may_not_grow_goes_on_after_the_refusal) {
  world_open("nursery=64k");
  spgc_set_out_of_memory_hook(count_hook_calls, NULL);
  struct spgc_handle list = world_new_list(100);
  world_verify();
  system_calls.refuse_protections = true;
  struct spgc_scope scope = spgc_scope_open();
  while (hook_calls == 0) {
    struct spgc_ref leaf = spgc_allocate(&world_leaf);
    if (!spgc_ref_is_null(leaf))
      spgc_handle_make(leaf);
  }
  world_verify();
  world_check_list(list, 100);
  spgc_scope_close(scope);
  system_calls.refuse_protections = false;
  uint64_t length = world_amount(100000, 20000, 200);
  world_check_list(world_new_list(length), length);
  world_close();
}
END_TEST

/* AddressSanitizer must not see it. */
__attribute__((no_sanitize("address"))) static uint64_t read_stale(uintptr_t address) {
  return *(volatile uint64_t *)address;
}

START_TEST(memory_that_cannot_be_closed_is_used_all_the_same) {
  world_open_fixed("poison=on");
  system_calls.refuse_closing = true;
  struct spgc_handle leaf = world_new_leaf(1);
  uintptr_t stale = spgc_handle_get(leaf).word;
  spgc_collect(SPGC_COLLECTION_MINOR);
  ck_assert_uint_ne(read_stale(stale + 8), 1);
  for (int i = 0; i < 50; i++) {
    spgc_collect(SPGC_COLLECTION_FULL);
    ck_assert_uint_eq(world_get_word(leaf, 1), 1);
  }
  world_close();
}
END_TEST

static void use_the_heap(struct spgc_handle kept) {
  int objects = (int)world_amount(30000, 24000, 1500);
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle newest = spgc_handle_make(spgc_handle_get(kept));
  for (int i = 0; i < objects; i++) {
    struct spgc_ref pair = spgc_allocate(&world_pair);
    if (!spgc_ref_is_null(pair)) {
      ((uint64_t *)spgc_ref_memory(pair))[2] = spgc_handle_get(newest).word;
      spgc_handle_set(newest, pair);
    }
    if (i % (objects / 6) == 0)
      spgc_allocate_array(&world_bytes, 50000);
    if ((i + 1) % (objects / 3) == 0)
      spgc_collect(i + 1 == objects / 3 * 2 ? SPGC_COLLECTION_FULL : SPGC_COLLECTION_MINOR);
  }
  spgc_scope_close(scope);
}

/* The record is the last mapping of a start. */
START_TEST(poison_does_without_the_record_of_vacated_objects) {
  enum { RECORD = 10 }; /* after the range, eight tables and a worklist */
  system_calls.map_countdown = RECORD;
  world_open_fixed("limit=8m,nursery=256k,poison=on,threads=1,concurrent=off");
  ck_assert_int_eq(system_calls.refused, 1);
  ck_assert_ptr_null(spgc_runtime.heap.vacated.entries);
  struct spgc_handle kept = world_new_list(1000);
  use_the_heap(kept);
  world_verify();
  world_check_list(kept, 1000);
  world_close();
}
END_TEST

static void refuse_each(int *countdown, const char *options) {
  for (int call = 0;; call++) {
    world_open_fixed(options);
    *countdown = call;
    system_calls.refused = 0;
    struct spgc_handle kept = world_new_list(1000);
    use_the_heap(kept);
    *countdown = -1;
    world_verify();
    world_check_list(kept, 1000);
    world_check_list(world_new_list(1000), 1000);
    world_close();
    if (system_calls.refused == 0) {
      ck_assert_int_gt(call, 0);
      return;
    }
  }
}

static const char *const plain = "limit=8m,nursery=256k,poison=off,threads=1,concurrent=off";
static const char *const crowded =
    "limit=8m,nursery=256k,poison=off,threads=3,concurrent=on,stress=every-allocation";

START_TEST(any_one_protection_may_be_refused) {
  refuse_each(&system_calls.protect_countdown, plain);
  refuse_each(&system_calls.protect_countdown, "limit=8m,nursery=256k,poison=on");
  refuse_each(&system_calls.protect_countdown,
              "limit=8m,nursery=256k,poison=on,move=always,seed=1");
}
END_TEST

START_TEST(any_one_advice_may_be_refused) {
  refuse_each(&system_calls.advise_countdown, plain);
}
END_TEST

START_TEST(any_one_mapping_or_thread_may_be_refused) {
  refuse_each(&system_calls.map_countdown, crowded);
  refuse_each(&system_calls.thread_countdown, crowded);
}
END_TEST

static void refuse_for_good(bool *refused, const char *options) {
  for (int round = 0; round < 2; round++) {
    system_calls.refused = 0;
    *refused = round == 0;
    world_open_fixed(options);
    struct spgc_handle kept = world_new_list(1000);
    *refused = true;
    for (int i = 0; i < 3; i++)
      use_the_heap(kept);
    world_verify();
    world_check_list(kept, 1000);
    ck_assert_uint_ge(world_statistics().collections, 9);
    world_close();
    *refused = false;
    ck_assert(round != 0 || system_calls.refused != 0);
  }
}

START_TEST(advice_threads_and_unmapping_may_be_refused_for_good) {
  refuse_for_good(&system_calls.refuse_advice, plain);
  refuse_for_good(&system_calls.refuse_threads, crowded);
  refuse_for_good(&system_calls.refuse_unmapping, plain);
}
END_TEST

START_TEST(mappings_may_be_refused_for_good_once_the_heap_is_started) {
  world_open_fixed(crowded);
  struct spgc_handle kept = world_new_list(1000);
  system_calls.refuse_maps = system_calls.refuse_protections = system_calls.refuse_closing = true;
  system_calls.refuse_advice = system_calls.refuse_threads = true;
  for (int i = 0; i < 2; i++)
    use_the_heap(kept);
  ck_assert_uint_gt(world_old_collections(), 0);
  world_check_list(kept, 1000);
  system_calls.refuse_maps = system_calls.refuse_protections = system_calls.refuse_closing = false;
  system_calls.refuse_advice = system_calls.refuse_threads = false;
  world_close();
}
END_TEST

/* Two bits for each word of the blocks that were ever accessible. */
START_TEST(a_verification_needs_memory_once) {
  world_open_fixed("threads=1,concurrent=off");
  world_new_list(1000);
  size_t mapped = system_calls.mapped_bytes;
  const struct spgc_heap *heap = &spgc_runtime.heap;
  size_t words = (heap->high_water - heap->low_water) * (SPGC_BLOCK_BYTES / SPGC_WORD_BYTES);
  struct spgc_error error;
  system_calls.map_countdown = 0;
  ck_assert_int_eq(spgc_heap_verify(&error), SPGC_ERROR_NO_MEMORY);
  ck_assert_str_eq(error.message, "cannot verify the heap: out of memory");
  ck_assert_uint_eq(error.position, 0);
  world_verify();
  ck_assert_uint_eq(system_calls.mapped_bytes, mapped + words / 4 + 1);
  system_calls.refuse_maps = true;
  world_verify();
  system_calls.refuse_maps = false;
  world_close();
  ck_assert_uint_eq(system_calls.mapped_bytes, 0);
}
END_TEST

CHECK_MAIN("heap-refused-mappings",
           handlers_of_fork_are_registered_without_a_lock_and_when_memory_is_free_again,
           a_child_that_was_forked_while_handlers_were_registered_forks,
           a_verification_needs_memory_once, poison_does_without_the_record_of_vacated_objects,
           any_one_protection_may_be_refused, any_one_advice_may_be_refused,
           any_one_mapping_or_thread_may_be_refused,
           advice_threads_and_unmapping_may_be_refused_for_good,
           mappings_may_be_refused_for_good_once_the_heap_is_started,
           a_start_that_is_refused_leaves_nothing_behind,
           a_limit_nobody_chose_is_halved_until_it_is_granted,
           a_thread_that_cannot_attach_leaves_nothing_behind, allocation_survives_a_refusal,
           a_collection_without_memory_for_copies_marks_and_sweeps_in_place,
           a_collection_in_place_leaves_no_field_in_a_store_buffer,
           workers_take_part_if_there_are_blocks_for_their_plabs,
           a_full_heap_that_may_not_grow_goes_on_after_the_refusal,
           memory_that_cannot_be_closed_is_used_all_the_same)
