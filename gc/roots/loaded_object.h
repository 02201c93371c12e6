/* The executable and the shared libraries of the process. A thread stopped by a collection may hold
 * the loader's locks. So they are taken only if nothing else will do, and never under a lock of the
 * collector (gc/state/locks.h). */
#ifndef SPGC_GC_ROOTS_LOADED_OBJECT_H
#define SPGC_GC_ROOTS_LOADED_OBJECT_H

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An object whose program headers are in memory. */
struct spgc_loaded_image {
  uintptr_t base; /* address of the file's address 0 */
  const ElfW(Phdr) * segments;
  unsigned count;
};

/* The object that _dl_find_object found. False if its program headers are not found, because a
 * library has no ELF header at its start. */
bool spgc_loaded_image_of(const struct dl_find_object *found, struct spgc_loaded_image *image);

/* Finds the object that contains the address, without a lock. It must stay loaded. False if there
 * is none, or its program headers are not found. */
bool spgc_loaded_image_find(uintptr_t address, struct spgc_loaded_image *image);

/* The loaded segment that contains the address, or NULL. */
const ElfW(Phdr) * spgc_loaded_segment(const struct spgc_loaded_image *image, uintptr_t address);

/* Bytes from the address to the end of its loaded segment, or 0. The caller holds no lock, because
 * the loader's are taken if no program headers are found. */
size_t spgc_loaded_bytes(const void *address);

/* Keeps the library that contains the address loaded until the process ends, even if it is closed.
 * Waits for the loader: the caller holds no lock. */
void spgc_loaded_keep(const void *address);

#endif
