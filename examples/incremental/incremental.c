/* An incremental copying collector: Baker's, of 1978, on libspgc-stackwalk and a load barrier.
 *
 * A collection begins with a flip: the spaces change places, and the objects that the stack refers
 * to are copied. Then the program goes on. Each allocation copies some more objects, and so does
 * the load barrier, until the program can reach nothing in the from-space. From the flip until
 * then:
 *
 *   to-space | scanned | copied, not scanned |    free    | allocated since the flip |
 *            ^ to      ^ scan                ^ next       ^ top
 *
 * Invariant: the program holds no reference to the from-space. A flip forwards the references of
 * the stack, allocation returns objects of the to-space, and loads pass the barrier. So the program
 * never stores a reference to the from-space either: only copies between `scan` and `next` hold
 * some. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "incremental.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spgc/stackmap.h"
#include "spgc/stackwalk.h"

enum {
  SPACE_BYTES = 128 << 10,
  COPIED_PER_ALLOCATED = 2, /* bytes that an allocation scans for each that it allocates */
};

struct object {
  uint32_t words;           /* behind the header, at least one; 0: the object has moved */
  uint32_t references;      /* that many of these words, the first ones, are references */
  struct spgc_ref fields[]; /* fields[0] of an object that has moved is its new address */
};

/* The linker defines these around a section whose name is a C identifier: see the Makefile. */
extern const char __start_llvm_stackmaps[], __stop_llvm_stackmaps[];

/* The spaces are mapped twice. References are addresses of the program's mapping, in which the
 * from-space is inaccessible, so a load without its barrier ends the program. The collector's
 * mapping is `own_mapping` bytes further. */
static ptrdiff_t own_mapping;

static uintptr_t from, to;        /* the spaces */
static uintptr_t scan, next, top; /* see above */
static void *stack_base;          /* every walk ends at this frame */
static bool always_collects;      /* at every allocation */
struct heap_counts counts;

static struct object *object_at(uintptr_t address) {
  return (struct object *)(address + (uintptr_t)own_mapping);
}

static size_t bytes_of(const struct object *object) {
  return sizeof *object + object->words * sizeof object->fields[0];
}

static bool is_in_from_space(struct spgc_ref reference) {
  return reference.word - from < SPACE_BYTES;
}

static uintptr_t copy(const struct object *object) {
  uintptr_t address = next;
  if (top - next < bytes_of(object))
    fail("out of memory while objects are copied");
  memcpy(object_at(address), object, bytes_of(object));
  next += bytes_of(object);
  counts.moved_objects++;
  return address;
}

/* Where the object is now. The first call for an object copies it. */
static struct spgc_ref forward(struct spgc_ref reference) {
  if (!is_in_from_space(reference))
    return reference; /* null, or in the to-space */
  struct object *object = object_at(reference.word);
  if (object->words != 0) {
    uintptr_t address = copy(object);
    object->words = 0;
    object->fields[0] = spgc_ref_from_word(address);
  }
  return object->fields[0];
}

struct spgc_ref current_address(struct spgc_ref loaded) {
  uint64_t moved_before = counts.moved_objects;
  struct spgc_ref current = forward(loaded);
  counts.moved_by_loads += counts.moved_objects - moved_before;
  return current;
}

/* Scans copies until that many bytes are scanned, or all. */
static void scan_copies(size_t bytes) {
  for (uintptr_t start = scan; scan < next && scan - start < bytes;) {
    struct object *object = object_at(scan);
    for (uint32_t i = 0; i < object->references; i++)
      object->fields[i] = forward(object->fields[i]);
    scan += bytes_of(object);
  }
}

/* Called by the walk with the places of references: stack slots and saved registers. */
static void forward_roots(void *context, const struct spgc_slot *bases, size_t count) {
  for (size_t i = 0; i < count; i++)
    *bases[i].location = forward(*bases[i].location);
}

/* The previous collection is finished, so nothing refers to its from-space. */
static void flip(void) {
  uintptr_t vacated = from;
  from = to;
  to = vacated;
  mprotect((void *)to, SPACE_BYTES, PROT_READ | PROT_WRITE);
  mprotect((void *)from, SPACE_BYTES, PROT_NONE);
  scan = next = to;
  top = to + SPACE_BYTES;
  spgc_walk_stack(stack_base, &(struct spgc_stack_visitor){.bases = forward_roots}, NULL);
  counts.collections++;
}

struct spgc_ref allocate(uint32_t words, uint32_t references) {
  const struct object header = {words, references};
  size_t bytes = bytes_of(&header);
  scan_copies(COPIED_PER_ALLOCATED * bytes);
  if (always_collects || top - next < bytes) {
    scan_copies(SPACE_BYTES);
    flip();
  }
  if (top - next < bytes)
    fail("out of memory");
  top -= bytes;
  struct object *object = memset(object_at(top), 0, bytes);
  *object = header;
  return spgc_ref_from_word(top);
}

static char *map_spaces(int file) {
  char *spaces = mmap(NULL, 2 * SPACE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (spaces == MAP_FAILED)
    fail("no memory for the spaces");
  return spaces;
}

void heap_start(void *base, bool always) {
  struct spgc_stackmap *maps;
  struct spgc_error error;
  size_t bytes = (size_t)(__stop_llvm_stackmaps - __start_llvm_stackmaps);
  if (spgc_stackmap_register(__start_llvm_stackmaps, bytes, &maps, &error) != SPGC_OK)
    fail(error.message);
  int file = memfd_create("spaces", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, 2 * SPACE_BYTES) != 0)
    fail("no memory for the spaces");
  to = (uintptr_t)map_spaces(file);
  own_mapping = (ptrdiff_t)((uintptr_t)map_spaces(file) - to);
  close(file);
  from = to + SPACE_BYTES;
  scan = next = to;
  top = to + SPACE_BYTES;
  stack_base = base;
  always_collects = always;
}
