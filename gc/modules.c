#include "gc/modules.h"

#include <inttypes.h>
#include <link.h>

#include "gc/locks.h"
#include "spgc/stackmap.h"
#include "support/fatal.h"

/* Registered modules, linked through `next`. Under SPGC_LOCK_MODULES; allowed before the heap is started, because constructors
 * run in any order. */
static struct spgc_module *modules;

struct segment_search {
  uintptr_t address;
  size_t size; /* found: bytes from address to the end of its segment */
};

static int search_object(struct dl_phdr_info *object, size_t info_size, void *context) {
  struct segment_search *search = context;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    uintptr_t start = object->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD && search->address - start < header->p_memsz) {
      search->size = start + header->p_memsz - search->address;
      return 1;
    }
  }
  return 0;
}

/* Bytes of the module's own stack map in the loaded segment that holds it. */
static enum spgc_result find_size(const struct spgc_module *module, size_t *size, struct spgc_error *error) {
  struct segment_search search = {(uintptr_t)module->stackmaps, 0};
  if (dl_iterate_phdr(search_object, &search) == 0)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                          "module %s: no loaded segment holds its stack map at %p, and no size is given",
                          module->name == NULL ? "(unnamed)" : module->name, module->stackmaps);
  return spgc_stackmap_extent(module->stackmaps, search.size, size, error);
}

static bool is_registered(const struct spgc_module *module) {
  const struct spgc_module *other = modules;
  while (other != NULL && other != module)
    other = other->next;
  return other != NULL;
}

static enum spgc_result register_locked(struct spgc_module *module, size_t stackmaps_size, struct spgc_error *error) {
  if (is_registered(module))
    return spgc_error_set(error, SPGC_ERROR_STATE, 0, "module %s is registered already",
                          module->name == NULL ? "(unnamed)" : module->name);
  struct spgc_stackmap *registered = NULL;
  if (module->stackmaps != NULL) {
    enum spgc_result result = SPGC_OK;
    if (stackmaps_size == 0)
      result = find_size(module, &stackmaps_size, error);
    if (result == SPGC_OK)
      result = spgc_stackmap_register(module->stackmaps, stackmaps_size, &registered, error);
    if (result != SPGC_OK)
      return result;
  }
  module->registered = registered;
  module->next = modules;
  modules = module;
  return SPGC_OK;
}

enum spgc_result spgc_module_register(struct spgc_module *module, size_t stackmaps_size, struct spgc_error *error) {
  if (module->version != SPGC_MODULE_VERSION)
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                          "a module record of version %" PRIu64 "; this is version %d", module->version,
                          SPGC_MODULE_VERSION);
  spgc_lock(SPGC_LOCK_MODULES);
  enum spgc_result result = register_locked(module, stackmaps_size, error);
  spgc_unlock(SPGC_LOCK_MODULES);
  return result;
}

void spgc_module_unregister(struct spgc_module *module) {
  spgc_lock(SPGC_LOCK_MODULES);
  struct spgc_module **link = &modules;
  while (*link != NULL && *link != module)
    link = &(*link)->next;
  if (*link != NULL) {
    *link = module->next;
    spgc_stackmap_unregister(module->registered);
    module->registered = NULL;
    module->next = NULL;
  }
  spgc_unlock(SPGC_LOCK_MODULES);
}

void spgc_modules_visit(spgc_root_visitor visit, void *context) {
  spgc_lock(SPGC_LOCK_MODULES);
  for (const struct spgc_module *module = modules; module != NULL; module = module->next)
    for (uint64_t i = 0; i < module->root_count; i++)
      for (uint64_t k = 0; k < module->roots[i].count; k++)
        visit(context, spgc_slot_at(&module->roots[i].first[k]), "global variable");
  spgc_unlock(SPGC_LOCK_MODULES);
}
