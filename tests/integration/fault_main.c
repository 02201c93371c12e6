/* fault_main WHAT: ends by a fault that the library explains (malloc, handle, header), by any other
 * (ordinary), or by one that the program handles (handled). */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "spgc/allocate.h"
#include "spgc/handle.h"
#include "spgc/heap.h"
#include "spgc/thread.h"

struct node {
  const struct spgc_type *type;
  struct spgc_ref next;
  int64_t value;
};

static const uint32_t references[] = {offsetof(struct node, next)};
static const struct spgc_type node_type = {.size = sizeof(struct node),
                                           .reference_count = 1,
                                           .reference_offsets = references,
                                           .name = "node"};
static struct spgc_ref object;
static sigjmp_buf back;

void fault_store(struct spgc_ref value);
int64_t fault_read(void);
struct spgc_ref fault_object(void);

struct spgc_ref fault_object(void) {
  return object;
}

static void store_into_malloc(void) {
  object = spgc_ref_from_word((uintptr_t)calloc(1, sizeof(struct node)));
  fault_store(spgc_ref_null());
}

static void use_closed_handle(void) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle handle = spgc_handle_make(spgc_allocate(&node_type));
  spgc_scope_close(scope);
  object = spgc_handle_get(handle);
  printf("%ld\n", (long)fault_read());
}

static void damage_header(void) {
  struct spgc_scope scope = spgc_scope_open();
  void *unreadable = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct spgc_handle handle = spgc_handle_make(spgc_allocate(&node_type));
  memcpy(spgc_ref_memory(spgc_handle_get(handle)), &unreadable, sizeof unreadable);
  spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_scope_close(scope);
}

static void fault_ordinarily(void) {
  object = spgc_ref_null();
  printf("%ld\n", (long)fault_read());
}

static void handle(int signal) {
  siglongjmp(back, signal);
}

static void fault_and_go_on(void) {
  const struct sigaction action = {.sa_handler = handle};
  sigaction(SIGSEGV, &action, NULL);
  if (sigsetjmp(back, 1) == 0)
    fault_ordinarily();
}

static const struct {
  const char *name;
  void (*run)(void);
} cases[] = {{"malloc", store_into_malloc},
             {"handle", use_closed_handle},
             {"header", damage_header},
             {"ordinary", fault_ordinarily},
             {"handled", fault_and_go_on}};

int main(int count, char **words) {
  struct spgc_error error;
  if (spgc_start(NULL, &error) != SPGC_OK ||
      spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    return EXIT_FAILURE;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    if (count == 2 && strcmp(words[1], cases[i].name) == 0)
      cases[i].run();
  spgc_thread_detach();
  spgc_stop();
  return EXIT_SUCCESS;
}
