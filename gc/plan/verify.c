#include "gc/plan/collection.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "gc/mutator/handles.h"
#include "gc/mutator/misuse.h"
#include "gc/roots/modules.h"
#include "gc/state/runtime.h"
#include "gc/weak/pin.h"
#include "heap/object.h"
#include "support/fatal.h"
#include "support/log.h"

/* ---- Libraries with types ---- */

enum { MOST_FILES = 64, NAME_BYTES = 200 };

struct type_file {
  uintptr_t start, end;
  char name[NAME_BYTES];
};

/* Files with type descriptors of the last check, so that one can be named that was unloaded before
 * its objects died. Libraries only: the program stays. Written with the world stopped. */
static struct type_file files[MOST_FILES];
static unsigned noted;

static struct type_file *file_of(uintptr_t header) {
  for (unsigned i = 0; i < MOST_FILES; i++)
    if (header - files[i].start < files[i].end - files[i].start)
      return &files[i];
  return NULL;
}

static bool is_loaded(const struct type_file *file) {
  struct dl_find_object found;
  return _dl_find_object((void *)file->start, &found) == 0 &&
         (uintptr_t)found.dlfo_map_start == file->start &&
         strncmp(found.dlfo_link_map->l_name, file->name, NAME_BYTES - 1) == 0;
}

static void note(uintptr_t header) {
  struct dl_find_object found;
  if (file_of(header) != NULL || _dl_find_object((void *)header, &found) != 0 ||
      found.dlfo_link_map->l_name[0] == '\0')
    return;
  struct type_file *file = &files[noted++ % MOST_FILES];
  file->start = (uintptr_t)found.dlfo_map_start;
  file->end = (uintptr_t)found.dlfo_map_end;
  snprintf(file->name, sizeof file->name, "%s", found.dlfo_link_map->l_name);
}

/* Called after a successful check. */
static void note_files(const struct spgc_check *check) {
  memset(files, 0, sizeof files);
  for (unsigned i = 0; i < SPGC_CHECKED_TYPES; i++)
    if (check->last_types[i].header != 0)
      note(check->last_types[i].header);
}

/* The check may have failed at an object whose descriptor went with its library. */
static void explain(const struct spgc_check *check, struct spgc_error *error) {
  uintptr_t place = (uintptr_t)error->position;
  if (error->code != SPGC_ERROR_MALFORMED || place % SPGC_WORD_BYTES != 0 ||
      !spgc_heap_contains(check->heap, place))
    return;
  uintptr_t header = spgc_object_header((struct spgc_ref){place});
  const struct type_file *file = file_of(header);
  uint64_t objects = 0;
  if (file == NULL || is_loaded(file))
    return;
  for (unsigned i = 0; i < SPGC_CHECKED_TYPES; i++)
    if (check->last_types[i].header - file->start < file->end - file->start)
      objects += check->last_types[i].objects;
  spgc_error_set(error, SPGC_ERROR_MALFORMED, header,
                 "%s was unloaded while objects of its types were in memory, %" PRIu64
                 " at the last check: before a library is closed, drop them, and call "
                 "spgc_types_live until it returns 0 (spgc/module.h)",
                 file->name, objects);
}

/* ---- Verification ---- */

static enum spgc_result verify(struct spgc_stopped_world world, struct spgc_error *error) {
  struct spgc_runtime *runtime = &spgc_runtime;
  for (struct spgc_mutator *mutator = world.mutators; mutator != NULL; mutator = mutator->next)
    spgc_tlab_publish(&mutator->tlab);
  runtime->check.is_marking = runtime->cycle.marker.active;
  struct spgc_error found;
  enum spgc_result result = spgc_check_heap(&runtime->check, &found);
  if (result == SPGC_OK) {
    note_files(&runtime->check);
    return spgc_roots_check(world, &runtime->check, error);
  }
  explain(&runtime->check, &found);
  if (error != NULL)
    *error = found;
  return result;
}

void spgc_verify_if_asked(struct spgc_stopped_world world, const char *when) {
  if (spgc_runtime.options.verify == SPGC_VERIFY_NONE)
    return;
  struct spgc_error error;
  enum spgc_result result = verify(world, &error);
  if (result == SPGC_ERROR_NO_MEMORY) /* the check lacked memory: nothing is known about the heap */
    return;
  spgc_require(result == SPGC_OK, "%s the collection: %s", when, error.message);
}

struct verification {
  struct spgc_error *error;
  enum spgc_result result;
};

static void verify_stopped(struct spgc_stopped_world world, void *context) {
  struct verification *verification = context;
  spgc_cycle_hold(&spgc_runtime.cycle);
  verification->result = verify(world, verification->error);
  spgc_cycle_release(&spgc_runtime.cycle);
}

enum spgc_result spgc_heap_verify(struct spgc_error *error) {
  struct verification verification = {.error = error};
  spgc_caller();
  spgc_require_may_stop(__func__);
  spgc_any_thread_run_stopped(verify_stopped, &verification);
  return verification.result;
}

/* ---- Code that was not lowered ----
 *
 * Managed code that clang or llc compiled without lowering calls spgc_allocate as C does, but no
 * stack map says where its references are. It crashes after its first collection. */

static bool is_for_memory(enum spgc_reason reason) {
  return reason == SPGC_REASON_NURSERY || reason == SPGC_REASON_LARGE ||
         reason == SPGC_REASON_LIMIT || reason == SPGC_REASON_STRESS;
}

static bool may_have_roots(struct spgc_stopped_world world) {
  for (const struct spgc_mutator *mutator = world.mutators; mutator != NULL;
       mutator = mutator->next)
    if (mutator->handles.height != 0 || mutator->fibers.count != 0)
      return true;
  return spgc_modules_were_registered() || spgc_ranges_exist() || spgc_global_handles_exist() ||
         spgc_pins_exist();
}

void spgc_tell_if_rootless(struct spgc_stopped_world world, const struct collection *collection) {
  static bool is_settled; /* written with the world stopped */
  if (is_settled || collection->young_bytes == 0 || !is_for_memory(collection->reason))
    return;
  is_settled = true;
  if (!may_have_roots(world))
    spgc_log_aloud("collection %" PRIu64 " finds no root: no lowered code is registered, and no "
                   "handle was made. So every object dies. If the program has managed code, it "
                   "was not lowered: use spgc-lower, or spgc_lower_module and spgc_jit_add. C "
                   "keeps objects in handles. See docs/debugging.md",
                   collection->number);
}
