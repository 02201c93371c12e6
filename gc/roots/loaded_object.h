/* A stopped thread may hold the loader's locks, so they are taken only if nothing else will do, and
 * never under a lock of the collector (gc/state/locks.h). */
#ifndef SPGC_GC_ROOTS_LOADED_OBJECT_H
#define SPGC_GC_ROOTS_LOADED_OBJECT_H

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spgc_loaded_image {
  uintptr_t base; /* where the file's address 0 is */
  const ElfW(Phdr) * segments;
  unsigned count;
};

/* False if a library has no ELF header at its start. */
bool spgc_loaded_image_of(const struct dl_find_object *found, struct spgc_loaded_image *image);

/* Takes no lock. The object must stay loaded. False if there is none, or its program headers are
 * not found. */
bool spgc_loaded_image_find(uintptr_t address, struct spgc_loaded_image *image);

/* Or NULL. */
const ElfW(Phdr) * spgc_loaded_segment(const struct spgc_loaded_image *image, uintptr_t address);

/* Bytes to the end of the address's segment, or 0. The caller holds no lock. */
size_t spgc_loaded_bytes(const void *address);

/* Waits for the loader: the caller holds no lock. */
void spgc_loaded_keep(const void *address);

#endif
