/* A copying collector in a hundred lines: Cheney's semispaces, on libspgc-stackwalk alone.
 *
 * Objects are allocated one after the other in one space, the from-space. When it is full, what the
 * program can still reach is copied to the other, the to-space, and the spaces change places.
 *
 *   to-space while copying   | scanned objects | copied, not scanned | free          |
 *                            ^ to              ^ scan                ^ next
 */
#include "semispace.h"

#include <string.h>
#include <sys/mman.h>

#include "spgc/stackmap.h"
#include "spgc/stackwalk.h"

enum { SPACE_BYTES = 256 << 10 };

struct object {
  uint32_t words;           /* behind the header, at least one; 0: the object has moved */
  uint32_t references;      /* that many of these words, the first ones, are references */
  struct spgc_ref fields[]; /* fields[0] of an object that has moved is its new address */
};

/* The linker defines these around a section whose name is a C identifier: see the Makefile. */
extern const char __start_llvm_stackmaps[], __stop_llvm_stackmaps[];

static char *from, *to;      /* the spaces */
static char *next;           /* the next free byte of the space that is being filled */
static void *stack_base;     /* every walk ends at this frame */
static bool always_collects; /* at every allocation */
struct heap_counts counts;

static size_t bytes_of(const struct object *object) {
  return sizeof *object + object->words * sizeof object->fields[0];
}

/* Where the object is now. The first call for an object copies it. */
static struct spgc_ref forward(struct spgc_ref reference) {
  struct object *object = spgc_ref_memory(reference);
  if (reference.word - (uintptr_t)from >= SPACE_BYTES)
    return reference; /* null */
  if (object->words != 0) {
    struct object *copy = memcpy(next, object, bytes_of(object));
    next += bytes_of(copy);
    object->words = 0;
    object->fields[0] = spgc_ref_from_word((uintptr_t)copy);
    counts.moved_objects++;
  }
  return object->fields[0];
}

/* Called by the walk with the places of references: stack slots and saved registers. */
static void forward_roots(void *context, const struct spgc_slot *bases, size_t count) {
  for (size_t i = 0; i < count; i++)
    *bases[i].location = forward(*bases[i].location);
}

static void collect(void) {
  mprotect(to, SPACE_BYTES, PROT_READ | PROT_WRITE);
  next = to;
  spgc_walk_stack(stack_base, &(struct spgc_stack_visitor){.bases = forward_roots}, NULL);
  for (char *scan = to; scan < next; scan += bytes_of((struct object *)scan)) {
    struct object *object = (struct object *)scan;
    for (uint32_t i = 0; i < object->references; i++)
      object->fields[i] = forward(object->fields[i]);
  }
  mprotect(from, SPACE_BYTES, PROT_NONE); /* a reference that was missed ends the program */
  char *vacated = from;
  from = to;
  to = vacated;
  counts.collections++;
}

struct spgc_ref allocate(uint32_t words, uint32_t references) {
  const struct object header = {words, references};
  if (always_collects || next + bytes_of(&header) > from + SPACE_BYTES)
    collect();
  if (next + bytes_of(&header) > from + SPACE_BYTES)
    fail("out of memory");
  struct object *object = memset(next, 0, bytes_of(&header));
  next += bytes_of(&header);
  *object = header;
  return spgc_ref_from_word((uintptr_t)object);
}

void heap_start(void *base, bool always) {
  struct spgc_stackmap *maps;
  struct spgc_error error;
  size_t bytes = (size_t)(__stop_llvm_stackmaps - __start_llvm_stackmaps);
  if (spgc_stackmap_register(__start_llvm_stackmaps, bytes, &maps, &error) != SPGC_OK)
    fail(error.message);
  from = mmap(NULL, 2 * SPACE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (from == MAP_FAILED)
    fail("no memory for the spaces");
  to = from + SPACE_BYTES;
  next = from;
  stack_base = base;
  always_collects = always;
}
