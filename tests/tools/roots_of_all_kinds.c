/* An object for each kind of root, with a type named after its holder, and a call for a debugger to
 * stop at.
 *
 *   roots-of-all-kinds [SNAPSHOT]    writes a heap snapshot before */
#include <stdio.h>

#include "spgc/allocate.h"
#include "spgc/finalizer.h"
#include "spgc/handle.h"
#include "spgc/main.h"
#include "spgc/pin.h"
#include "spgc/snapshot.h"
#include "spgc/type.h"
#include "spgc/weak_map.h"

static const uint32_t at[] = {8};
#define CELL(text)                                                                                 \
  (struct spgc_type) {                                                                             \
    .size = 16, .reference_count = 1, .reference_offsets = at, .name = (text)                      \
  }

static const struct spgc_type scoped = CELL("Scoped"), global = CELL("Global"),
                              pinned = CELL("Pinned"), held = CELL("Held"), queued = CELL("Queued"),
                              dead = CELL("Dead"), key = CELL("Key"), value = CELL("Value"),
                              owner = CELL("Owner"), owned = CELL("Owned"), orphan = CELL("Orphan"),
                              child = CELL("Child\x1b[2J");

static struct spgc_weak_map with_owner, without_owner;

static void require(enum spgc_result result) {
  if (result != SPGC_OK)
    printf("failed: %s\n", spgc_result_name(result));
}

static struct spgc_ref get(struct spgc_handle handle) {
  return *handle.slot;
}

__attribute__((noinline)) static void stop_here(void) {
  __asm__ volatile("");
}

/* `queued` is dead, and waits. */
static void fill_finalizers(struct spgc_handle alive) {
  struct spgc_handle handle = spgc_handle_make(spgc_allocate(&held));
  require(spgc_finalizer_register(get(alive), get(handle), NULL));
  struct spgc_ref dies = spgc_allocate(&queued);
  require(spgc_finalizer_register(dies, spgc_ref_null(), NULL));
}

static void fill_maps(struct spgc_handle alive) {
  struct spgc_handle of_map = spgc_handle_make(spgc_allocate(&owner));
  require(spgc_weak_map_create(get(of_map), &with_owner, NULL));
  require(spgc_weak_map_create(spgc_ref_null(), &without_owner, NULL));
  struct spgc_handle made = spgc_handle_make(spgc_allocate(&owned));
  require(spgc_weak_map_set(with_owner, get(alive), get(made), NULL));
  made = spgc_handle_make(spgc_allocate(&value));
  require(spgc_weak_map_set(without_owner, get(alive), get(made), NULL));
  struct spgc_handle lost = spgc_handle_make(spgc_allocate(&dead));
  made = spgc_handle_make(spgc_allocate(&orphan));
  require(spgc_weak_map_set(without_owner, get(lost), get(made), NULL));
  spgc_global_handle_make(get(of_map));
}

static void program(void *snapshot) {
  struct spgc_handle alive = spgc_handle_make(spgc_allocate(&scoped));
  spgc_store(spgc_slot_at((void *)(get(alive).word + 8)), spgc_allocate(&child));
  spgc_global_handle_make(spgc_allocate(&global));
  require(spgc_pin(spgc_allocate(&pinned), NULL));
  struct spgc_handle of_maps = spgc_handle_make(spgc_allocate(&key));
  struct spgc_scope scope = spgc_scope_open();
  fill_finalizers(alive);
  fill_maps(of_maps);
  spgc_scope_close(scope);
  spgc_collect(SPGC_COLLECTION_FULL);
  if (snapshot != NULL)
    require(spgc_snapshot_write(snapshot, NULL));
  stop_here();
  puts("done");
}

int main(int count, char **words) {
  struct spgc_error error;
  enum spgc_result result = spgc_main(NULL, program, count > 1 ? words[1] : NULL, &error);
  if (result != SPGC_OK)
    fprintf(stderr, "%s\n", error.message);
  return result != SPGC_OK;
}
