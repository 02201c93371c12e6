#include "fork_child.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heap_world.h"
#include "spgc/finalizer.h"
#include "spgc/identity.h"
#include "spgc/module.h"
#include "spgc/pin.h"
#include "spgc/stackmap.h"
#include "spgc/weak.h"
#include "spgc/weak_map.h"
#include "stackmap_builder.h"

struct spgc_handle fork_kept;
static void *made_map; /* of a function at 0 */
static size_t made_size;

void fork_require(bool holds, const char *what) {
  if (holds)
    return;
  ssize_t written = write(STDERR_FILENO, what, strlen(what));
  written = write(STDERR_FILENO, "\n", 1);
  _exit(written != 1 ? 3 : 2);
}

struct spgc_handle fork_new_object(const struct spgc_type *type) {
  struct spgc_ref object = spgc_allocate(type);
  fork_require(!spgc_ref_is_null(object), "no memory for an object");
  return spgc_handle_make(object);
}

struct spgc_handle fork_new_list(uint64_t count) {
  struct spgc_handle head = spgc_handle_make(spgc_ref_null());
  for (uint64_t i = count; i-- != 0;) {
    struct spgc_scope scope = spgc_scope_open();
    struct spgc_handle pair = fork_new_object(&world_pair);
    world_set_word(pair, 1, i);
    world_set(pair, 2, spgc_handle_get(head));
    spgc_handle_set(head, spgc_handle_get(pair));
    spgc_scope_close(scope);
  }
  return head;
}

void fork_check_list(struct spgc_handle list, uint64_t count) {
  const uint64_t *pair = spgc_ref_memory(spgc_handle_get(list));
  uint64_t i = 0;
  for (; pair != NULL && pair[1] == i; i++)
    pair = (const uint64_t *)pair[2];
  fork_require(pair == NULL && i == count, "a list is damaged");
}

/* The code does not exist. */
static struct spgc_stackmap *register_map(uint64_t function) {
  enum { FUNCTION_WORD = 2 };
  uint64_t *bytes = malloc(made_size);
  struct spgc_stackmap *map = NULL;
  fork_require(bytes != NULL, "no memory for a stack map");
  memcpy(bytes, made_map, made_size);
  bytes[FUNCTION_WORD] = function;
  fork_require(spgc_stackmap_register(bytes, made_size, &map, NULL) == SPGC_OK,
               "a stack map is refused");
  free(bytes);
  return map;
}

static void make_map(void) {
  struct stackmap_builder builder = {0};
  builder_header(&builder, 3, 1, 0, 1);
  builder_function(&builder, 0, 8, 1);
  builder_statepoint(&builder, 1, 16, NULL, 0);
  made_map = builder.bytes;
  made_size = builder.size;
}

void fork_use_modules(uint64_t function) {
  struct spgc_ref root = spgc_ref_null();
  const struct spgc_global_roots roots = {&root, 1};
  struct spgc_module module = {
      .version = SPGC_MODULE_VERSION, .roots = &roots, .root_count = 1, .name = "made up"};
  fork_require(spgc_module_register(&module, 0, NULL) == SPGC_OK, "a module is refused");
  spgc_stackmap_unregister(register_map(function));
  spgc_module_unregister(&module);
}

void fork_use_tables(void) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle holder = fork_new_object(&world_holder), key = fork_new_object(&world_leaf);
  fork_require(spgc_weak_bind(spgc_handle_get(holder), WORLD_WEAK_OFFSET,
                              spgc_handle_get(fork_kept), NULL) == SPGC_OK,
               "a weak field is refused");
  struct spgc_handle global = spgc_global_handle_make(spgc_handle_get(holder));
  struct spgc_weak_map map;
  struct spgc_finalizer finalizer;
  fork_require(spgc_pin(spgc_handle_get(holder), NULL) == SPGC_OK, "a pin is refused");
  fork_require(spgc_finalizer_register(spgc_handle_get(key), spgc_ref_null(), NULL) == SPGC_OK,
               "a finalizer is refused");
  fork_require(spgc_weak_map_create(spgc_handle_get(holder), &map, NULL) == SPGC_OK,
               "a weak map is refused");
  fork_require(spgc_weak_map_set(map, spgc_handle_get(key), spgc_handle_get(holder), NULL) ==
                   SPGC_OK,
               "an entry is refused");
  fork_require(spgc_identity_hash(spgc_handle_get(key)) != 0, "a hash is refused");
  fork_require(spgc_weak_map_get(map, spgc_handle_get(key), NULL), "an entry is lost");
  fork_require(spgc_finalizer_cancel(spgc_handle_get(key)), "a finalizer is lost");
  spgc_finalizer_next(&finalizer);
  spgc_unpin(spgc_handle_get(holder));
  spgc_global_handle_release(global);
  spgc_set_out_of_memory_hook(NULL, NULL);
  spgc_scope_close(scope);
}

static void check_kept(void) {
  struct spgc_scope scope = spgc_scope_open();
  fork_check_list(spgc_handle_make(spgc_handle_get(fork_kept)), FORK_KEPT_LENGTH);
  spgc_scope_close(scope);
}

void fork_use_heap(void) {
  check_kept();
  uint64_t length = world_amount(5000, 2000, 20);
  for (int i = 0; i < 4; i++) {
    struct spgc_scope scope = spgc_scope_open();
    fork_check_list(fork_new_list(length), length);
    fork_use_tables();
    spgc_collect(i % 2 == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
    check_kept();
    spgc_scope_close(scope);
  }
  fork_require(spgc_heap_verify(NULL) == SPGC_OK, "the heap is damaged");
  fork_require(world_statistics().allocated_bytes > 0, "nothing was allocated");
}

void fork_expect_end(pid_t child) {
  int status;
  fork_require(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0,
               "a child failed");
}

void fork_use_everything_in_child(void) {
  alarm(FORK_HANG_SECONDS);
  fork_use_heap();
  fork_use_modules(0x10000);
  pid_t grandchild = fork();
  if (grandchild == 0) {
    alarm(FORK_HANG_SECONDS);
    fork_use_heap();
    fork_use_modules(0x10000);
    _exit(0);
  }
  fork_expect_end(grandchild);
  fork_use_heap();
  spgc_thread_detach();
  spgc_stop();
  _exit(0);
}
void fork_keep_a_list(void) {
  make_map();
  struct spgc_scope scope = spgc_scope_open();
  fork_kept = spgc_global_handle_make(spgc_handle_get(fork_new_list(FORK_KEPT_LENGTH)));
  spgc_scope_close(scope);
}

void *fork_join(void *thread) {
  pthread_join(*(pthread_t *)thread, NULL);
  return thread;
}
