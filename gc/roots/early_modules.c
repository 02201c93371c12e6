#include "gc/roots/modules.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <sys/auxv.h>

#include "gc/roots/loaded_object.h"
#include "stackwalk/missing_maps.h"
#include "stackwalk/walkers.h"
#include "support/cancellation.h"
#include "support/elf_notes.h"

struct noted {
  struct spgc_module *module;
  const char *file;
};

static void register_outside(void *context) {
  const struct noted *noted = context;
  spgc_module_register_early(noted->module, noted->file);
}

static void register_record(struct spgc_module *module, const char *file) {
  struct noted noted = {module, file};
  if (!spgc_module_has_come(module))
    spgc_walkers_call_outside(register_outside, &noted);
}

static void register_noted(const struct spgc_loaded_image *image, const ElfW(Phdr) * segment,
                           const char *file) {
  struct spgc_notes notes = spgc_notes_of(image->base, segment);
  for (struct spgc_module *module; (module = spgc_notes_next(&notes, SPGC_MODULE_NOTE)) != NULL;)
    register_record(module, file);
}

static void register_image(const struct spgc_loaded_image *image, const char *file) {
  for (unsigned i = 0; i < image->count; i++)
    if (image->segments[i].p_type == PT_NOTE)
      register_noted(image, &image->segments[i], file);
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

/* The walked thread runs constructors or destructors, so the list does not change. They may have
 * left references in variables of any file. */
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
