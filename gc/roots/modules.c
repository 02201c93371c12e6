#include "gc/roots/modules.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "gc/mutator/misuse.h"
#include "gc/roots/loaded_object.h"
#include "gc/state/locks.h"
#include "spgc/stackmap.h"
#include "spgc/stackmap_reader.h"
#include "spgc/thread.h"
#include "spgc/type.h"
#include "stackwalk/loaded_maps.h"
#include "stackwalk/missing_maps.h"
#include "stackwalk/walkers.h"
#include "support/cancellation.h"
#include "support/elf_notes.h"
#include "support/fatal.h"

/* Facts about lowered code. A change of any raises SPGC_MODULE_VERSION, so that older code is
 * refused (docs/abi.md). */
_Static_assert(SPGC_MODULE_VERSION == 6, "state the facts of the new version");
_Static_assert(offsetof(struct spgc_thread, cursor) == 0 &&
                   offsetof(struct spgc_thread, limit) == 8 &&
                   offsetof(struct spgc_thread, poll) == 16 &&
                   offsetof(struct spgc_thread, cards) == 24 &&
                   offsetof(struct spgc_thread, stack_limit) == 32 &&
                   offsetof(struct spgc_thread, group_cards) == 40 &&
                   offsetof(struct spgc_thread, stores) == 48,
               "the thread's words moved: raise SPGC_MODULE_VERSION");
_Static_assert(SPGC_CARD_SHIFT == 7 && SPGC_GROUP_CARD_SHIFT == 13 && SPGC_CARD_CLEAN == 0 &&
                   SPGC_CARD_DIRTY == 1,
               "cards changed: raise SPGC_MODULE_VERSION");
_Static_assert(SPGC_MOST_FRESH_ELEMENTS == 256, "barriers changed: raise SPGC_MODULE_VERSION");
_Static_assert(SPGC_STORE_BUFFER_BYTES == 1 << 17 && SPGC_MOST_GROUP_STORES == 8,
               "store buffers changed: raise SPGC_MODULE_VERSION");
_Static_assert(offsetof(struct spgc_type, size) == 0 &&
                   offsetof(struct spgc_type, element_size) == 4 && sizeof(struct spgc_type) == 48,
               "descriptors changed: raise SPGC_MODULE_VERSION");
_Static_assert(offsetof(struct spgc_module, version) == 0 &&
                   offsetof(struct spgc_module, stackmaps) == 8 &&
                   offsetof(struct spgc_module, roots) == 16 &&
                   offsetof(struct spgc_module, root_count) == 24 &&
                   sizeof(struct spgc_module) == 56 && sizeof(struct spgc_global_roots) == 16,
               "the record changed: raise SPGC_MODULE_VERSION");

/* Under SPGC_LOCK_MODULES. A record's `next` is its index, plus 1. Those with roots come first: a
 * JIT may load any number without, which no collection visits. */
static struct {
  struct spgc_module **records;
  size_t count, with_roots, capacity;
} modules;
static uint64_t registrations;
static bool exits;

static atomic_bool handles_exit; /* keep_modules is registered */

enum spgc_result spgc_stackmap_extent(const void *start, size_t size, size_t *extent,
                                      struct spgc_error *error) {
  const struct spgc_stackmap_section segment = {
      start, size, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? SPGC_BIG_ENDIAN : SPGC_LITTLE_ENDIAN};
  struct spgc_stackmap_blob blob;
  uint64_t position = 0;
  enum spgc_result result = spgc_stackmap_read_blob(&segment, &position, &blob, error);
  if (result == SPGC_OK && (blob.version == 0 || blob.position != 0))
    return spgc_error_set(error, SPGC_ERROR_MALFORMED, 0,
                          "the module's address of its stack map holds none");
  for (uint32_t i = 0; i < blob.record_count && result == SPGC_OK; i++) {
    struct spgc_stackmap_record record;
    result = spgc_stackmap_read_record(&segment, &blob, &position, &record, error);
  }
  *extent = (size_t)position;
  return result;
}

static enum spgc_result find_size(const struct spgc_module *module, size_t *size,
                                  struct spgc_error *error) {
  size_t bytes = spgc_loaded_bytes(module->stackmaps);
  if (bytes == 0)
    return spgc_error_set(
        error, SPGC_ERROR_INVALID_ARGUMENT, 0,
        "module %s: no loaded segment holds its stack map at %p, and no size is given",
        module->name == NULL ? "(unnamed)" : module->name, module->stackmaps);
  return spgc_stackmap_extent(module->stackmaps, bytes, size, error);
}

static bool make_room(void) {
  size_t capacity = modules.capacity + modules.capacity / 4 + 16;
  if (modules.count < modules.capacity)
    return true;
  struct spgc_module **records =
      (struct spgc_module **)reallocarray((void *)modules.records, capacity, sizeof *records);
  if (records == NULL)
    return false;
  modules.records = records;
  modules.capacity = capacity;
  return true;
}

static void put(size_t index, struct spgc_module *module) {
  modules.records[index] = module;
  module->next = (struct spgc_module *)(index + 1); /* NOLINT(performance-no-int-to-ptr) */
}

static void enter(struct spgc_module *module) {
  size_t index = modules.count++;
  put(index, module);
  if (module->root_count != 0) {
    put(index, modules.records[modules.with_roots]);
    put(modules.with_roots++, module);
  }
}

static void take_out(struct spgc_module *module) {
  size_t index = (uintptr_t)module->next - 1;
  if (index < modules.with_roots) {
    put(index, modules.records[--modules.with_roots]);
    index = modules.with_roots;
  }
  if (index != --modules.count)
    put(index, modules.records[modules.count]);
  module->next = NULL;
}

/* For work that must not be done under the lock. */
static const struct spgc_module **copy_modules(size_t *count) {
  *count = modules.count;
  const struct spgc_module **copy = (const struct spgc_module **)calloc(*count + 1, sizeof *copy);
  spgc_require(copy != NULL, "out of memory");
  for (size_t i = 0; i < *count; i++)
    copy[i] = modules.records[i];
  return copy;
}

/* Destructors run while other threads collect, so from now on spgc_module_unload does nothing, and
 * no library with modules is unloaded. It is registered after the loader's handler, so it runs
 * before all destructors. */
static void keep_modules(void) {
  for (bool all = false; !all;) {
    size_t count;
    spgc_lock(SPGC_LOCK_MODULES);
    uint64_t before = registrations;
    const struct spgc_module **kept = copy_modules(&count);
    spgc_unlock(SPGC_LOCK_MODULES);
    for (size_t i = 0; i < count; i++)
      spgc_loaded_keep(kept[i]);
    free((void *)kept);
    spgc_lock(SPGC_LOCK_MODULES);
    all = exits = registrations == before;
    spgc_unlock(SPGC_LOCK_MODULES);
  }
}

/* Values of `registered`: without stack maps; of a file about to be unloaded. */
static const char no_stackmaps, unloaded;
#define NO_STACKMAPS ((struct spgc_stackmap *)(uintptr_t)&no_stackmaps)
#define UNLOADED ((struct spgc_stackmap *)(uintptr_t)&unloaded)

static struct spgc_stackmap *state_of(const struct spgc_module *module) {
  return __atomic_load_n(&module->registered, __ATOMIC_ACQUIRE);
}

static bool is_registered(const struct spgc_module *module) {
  return state_of(module) != NULL && state_of(module) != UNLOADED;
}

/* May wait for locks of the loader and the system. No lock is held. */
static enum spgc_result prepare(const struct spgc_module *module, size_t *stackmaps_size,
                                struct spgc_error *error) {
  if (!atomic_exchange(&handles_exit, true) && atexit(keep_modules) != 0) {
    atomic_store(&handles_exit, false);
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "cannot register an exit handler: out of memory");
  }
  return module->stackmaps != NULL && *stackmaps_size == 0
             ? find_size(module, stackmaps_size, error)
             : SPGC_OK;
}

static enum spgc_result register_locked(struct spgc_module *module, size_t stackmaps_size,
                                        bool is_loaded, struct spgc_error *error) {
  struct spgc_stackmap *registered = NO_STACKMAPS;
  if (is_registered(module))
    return spgc_error_set(error, SPGC_ERROR_STATE, 0, "module %s is registered already",
                          module->name == NULL ? "(unnamed)" : module->name);
  if (!make_room())
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0,
                          "cannot register a module: out of memory");
  if (module->stackmaps != NULL) {
    enum spgc_result result = (is_loaded ? spgc_stackmap_register_loaded : spgc_stackmap_register)(
        module->stackmaps, stackmaps_size, &registered, error);
    if (result != SPGC_OK)
      return result;
  }
  __atomic_store_n(&module->registered, registered, __ATOMIC_RELEASE);
  enter(module);
  registrations++;
  return SPGC_OK;
}

enum spgc_result spgc_module_register(struct spgc_module *module, size_t stackmaps_size,
                                      struct spgc_error *error) {
  spgc_require_use(module != NULL, "no module is given");
  if (module->version != SPGC_MODULE_VERSION)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                          "its code is of version %" PRIu64
                          ", and this library runs version %d: lower it again, with this "
                          "library's spgc-lower",
                          module->version, SPGC_MODULE_VERSION);
  SPGC_UNCANCELLED;
  bool is_loaded = stackmaps_size == 0;
  enum spgc_result result = prepare(module, &stackmaps_size, error);
  if (result != SPGC_OK)
    return result;
  spgc_lock(SPGC_LOCK_MODULES);
  result = register_locked(module, stackmaps_size, is_loaded, error);
  bool stays = exits;
  spgc_unlock(SPGC_LOCK_MODULES);
  if (result == SPGC_OK && stays)
    spgc_loaded_keep(module);
  return result;
}

/* Also if its destructor has run. False for a foreign version. */
static bool has_come(const struct spgc_module *module) {
  return module->version == SPGC_MODULE_VERSION && state_of(module) != NULL;
}

/* A foreign version's other fields cannot be read. */
static void load(struct spgc_module *module, const char *name, const char *file) {
  struct spgc_error error;
  if (has_come(module))
    return;
  enum spgc_result result = spgc_module_register(module, 0, &error);
  spgc_require(result == SPGC_OK || (result == SPGC_ERROR_STATE && state_of(module) != NULL),
               "module %s rejected%s%s: %s", name, file != NULL ? ", of " : "",
               file != NULL ? file : "", error.message);
}

void spgc_module_load(struct spgc_module *module, const char *name) {
  spgc_require_use(module != NULL, "no module is given");
  load(module, name != NULL ? name : "(unnamed)", NULL);
}

static void unregister_locked(struct spgc_module *module) {
  if (!is_registered(module))
    return;
  take_out(module);
  if (module->registered != NO_STACKMAPS)
    spgc_stackmap_unregister(module->registered);
  __atomic_store_n(&module->registered, NULL, __ATOMIC_RELEASE);
}

void spgc_module_unregister(struct spgc_module *module) {
  spgc_require_use(module != NULL, "no module is given");
  SPGC_UNCANCELLED;
  SPGC_LOCKED(SPGC_LOCK_MODULES);
  unregister_locked(module);
}

void spgc_module_unload(struct spgc_module *module) {
  spgc_require_use(module != NULL, "no module is given");
  SPGC_LOCKED(SPGC_LOCK_MODULES);
  if (exits)
    return;
  unregister_locked(module);
  __atomic_store_n(&module->registered, UNLOADED, __ATOMIC_RELEASE);
}

bool spgc_modules_were_registered(void) {
  SPGC_LOCKED(SPGC_LOCK_MODULES);
  return registrations != 0;
}

void spgc_modules_visit(enum spgc_nulls nulls, spgc_root_visitor visit, void *context) {
  SPGC_LOCKED(SPGC_LOCK_MODULES);
  for (size_t i = 0; i < modules.with_roots; i++) {
    const struct spgc_module *module = modules.records[i];
    for (uint64_t k = 0; k < module->root_count; k++)
      spgc_root_words_visit(module->roots[k].first, module->roots[k].count, nulls, visit, context,
                            "global variable");
  }
}

/* ---- Before constructors run ---- */

struct noted {
  struct spgc_module *module;
  const char *file;
};

static void register_outside(void *context) {
  const struct noted *noted = context;
  struct spgc_module *module = noted->module;
  load(module, module->version == SPGC_MODULE_VERSION ? module->name : "(unnamed)", noted->file);
}

static void register_image(const struct spgc_loaded_image *image, const char *file) {
  for (unsigned i = 0; i < image->count; i++) {
    if (image->segments[i].p_type != PT_NOTE)
      continue;
    struct spgc_notes notes = spgc_notes_of(image->base, &image->segments[i]);
    for (struct noted noted = {.file = file};
         (noted.module = spgc_notes_next(&notes, SPGC_MODULE_NOTE)) != NULL;)
      if (!has_come(noted.module))
        spgc_walkers_call_outside(register_outside, &noted);
  }
}

/* The loader lists an object before its relocation; _dl_find_object knows it only afterwards. The
 * program was relocated before its code ran. */
static bool is_relocated(const struct dl_phdr_info *object) {
  struct dl_find_object found;
  if ((uintptr_t)object->dlpi_phdr == getauxval(AT_PHDR))
    return true;
  return _dl_find_object((void *)(uintptr_t)object->dlpi_phdr, &found) == 0;
}

static const char *name_of(const char *name) {
  return name != NULL && name[0] != '\0' ? name : "the program";
}

static int register_object(struct dl_phdr_info *object, size_t info_size, void *unused) {
  const struct spgc_loaded_image image = {object->dlpi_addr, object->dlpi_phdr, object->dlpi_phnum};
  if (is_relocated(object))
    register_image(&image, name_of(object->dlpi_name));
  return 0;
}

static void register_found(const struct dl_find_object *found) {
  struct spgc_loaded_image image;
  if (spgc_loaded_image_of(found, &image))
    register_image(&image, name_of(found->dlfo_link_map->l_name));
}

/* The walked thread runs constructors or destructors, so the list does not change; they may have
 * left references in any file's variables. */
static void register_list(const struct link_map *object) {
  while (object->l_prev != NULL)
    object = object->l_prev;
  for (struct dl_find_object found; object != NULL; object = object->l_next)
    if (_dl_find_object(object->l_ld, &found) == 0)
      register_found(&found);
}

static uintptr_t loader; /* address, or 0. Each start writes the same */

static void register_file(uintptr_t address) {
  struct dl_find_object found;
  if (_dl_find_object((void *)address, &found) != 0)
    return;
  if ((uintptr_t)found.dlfo_map_start == loader)
    register_list(found.dlfo_link_map);
  else
    register_found(&found);
}

static int read_loads(struct dl_phdr_info *object, size_t info_size, void *loads) {
  *(unsigned long long *)loads = object->dlpi_adds;
  return 1;
}

void spgc_early_modules_register(void) {
  static _Atomic unsigned long long seen; /* loaded by the last call */
  unsigned long long loads = 0;
  SPGC_UNCANCELLED;
  loader = getauxval(AT_BASE);
  spgc_missing_maps_set(register_file);
  dl_iterate_phdr(read_loads, &loads);
  if (loads == atomic_load(&seen))
    return;
  dl_iterate_phdr(register_object, NULL);
  atomic_store(&seen, loads);
}
