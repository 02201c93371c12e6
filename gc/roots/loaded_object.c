#include "gc/roots/loaded_object.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

/* Weak, because a statically linked program has no loader, and no libraries to keep. */
extern __typeof__(dlopen) dlopen __attribute__((weak));

struct search {
  uintptr_t address;
  size_t bytes;        /* result: from the address to the end of its segment */
  char name[PATH_MAX]; /* result: of the object; empty for the executable */
};

static int search_object(struct dl_phdr_info *object, size_t info_size, void *context) {
  struct search *search = context;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *header = &object->dlpi_phdr[i];
    uintptr_t start = object->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD && search->address - start < header->p_memsz) {
      search->bytes = start + header->p_memsz - search->address;
      size_t length = object->dlpi_name != NULL ? strlen(object->dlpi_name) : 0;
      if (length > 0 && length < sizeof search->name)
        memcpy(search->name, object->dlpi_name, length + 1);
      return 1;
    }
  }
  return 0;
}

size_t spgc_loaded_bytes(const void *address) {
  struct search search = {.address = (uintptr_t)address};
  dl_iterate_phdr(search_object, &search);
  return search.bytes;
}

/* The handle is never closed, so the library stays loaded. */
void spgc_loaded_keep(const void *address) {
  struct search search = {.address = (uintptr_t)address};
  dl_iterate_phdr(search_object, &search);
  if (search.name[0] != '\0' && dlopen != NULL)
    dlopen(search.name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}
