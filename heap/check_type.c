#include "heap/check_type.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "heap/heap.h"
#include "heap/object.h"
#include "support/valgrind_requests.h"

enum { PAGE_BYTES = 4096 }; /* a page, or a part of a larger one */

_Static_assert(sizeof(struct spgc_type) <= PAGE_BYTES, "what is read spans at most two pages");

static bool is_known(const struct spgc_readable_pages *pages, uintptr_t page) {
  return page != 0 && (pages == NULL || pages->known[page / PAGE_BYTES % KNOWN_PAGES] == page);
}

/* Threads make this call anyway, so no filter ends the process for it. It wakes nobody, and fails
 * with EFAULT exactly if the page is not readable. Valgrind would report an uninitialised word. */
static bool is_page_readable(uintptr_t page) {
  static const uint32_t other;
  const unsigned long none = 0;
  VALGRIND_DISABLE_ERROR_REPORTING;
  long result = syscall(SYS_futex, page, FUTEX_CMP_REQUEUE_PRIVATE, none, none, &other, other);
  VALGRIND_ENABLE_ERROR_REPORTING;
  return result >= 0 || errno != EFAULT;
}

/* A sanitizer would report memory that is not the program's. */
__attribute__((no_sanitize("address", "thread"))) static void
copy_plainly(uintptr_t address, unsigned char *into, size_t bytes) {
  const volatile unsigned char *from = (const volatile unsigned char *)address;
  for (size_t i = 0; i < bytes; i++)
    into[i] = from[i];
}

/* Reads at most a page, from an address that may be wild. */
static bool read_untrusted(struct spgc_readable_pages *pages, uintptr_t address, void *into,
                           size_t bytes) {
  uintptr_t first = address - address % PAGE_BYTES, last = address + bytes - 1;
  last -= last % PAGE_BYTES;
  if (is_known(pages, first) && is_known(pages, last)) {
    memcpy(into, (const void *)address, bytes);
    return true;
  }
  if (!is_page_readable(first) || (last != first && !is_page_readable(last)))
    return false;
  copy_plainly(address, into, bytes);
  if (pages == NULL)
    return true;
  pages->known[first / PAGE_BYTES % KNOWN_PAGES] = first;
  pages->known[last / PAGE_BYTES % KNOWN_PAGES] = last;
  return true;
}

/* Multiples of a word, ascending from `least`, below `size`. */
static const char *check_offsets(struct spgc_readable_pages *pages, const uint32_t *offsets,
                                 uint32_t count, uint32_t least, uint32_t size) {
  if (count > size / SPGC_WORD_BYTES)
    return "its descriptor lists more references than the object has words";
  for (uint32_t i = 0; i < count; i++) {
    uint32_t offset = 0;
    if (!read_untrusted(pages, (uintptr_t)(offsets + i), &offset, sizeof offset))
      return "its descriptor's offsets are not readable";
    if (offset % SPGC_WORD_BYTES != 0 || offset < least || offset > size - SPGC_WORD_BYTES)
      return "its descriptor lists an offset that is unaligned, out of order or out of range";
    least = offset + SPGC_WORD_BYTES;
  }
  return NULL;
}

static const char *check_tail(struct spgc_readable_pages *pages, const struct spgc_type *type) {
  enum { OF_TAIL = SPGC_TYPE_TAIL_VALUES | SPGC_TYPE_TAIL_WEAK };
  if ((type->flags & SPGC_TYPE_TAIL) == 0)
    return (type->flags & OF_TAIL) != 0
               ? "its descriptor describes a tail without the flag SPGC_TYPE_TAIL"
               : NULL;
  if (type->size < 2 * SPGC_WORD_BYTES)
    return "its descriptor's size leaves no room for the length";
  bool has_references =
      (type->flags & SPGC_TYPE_TAIL_VALUES) != 0 || type->element_reference_count != 0;
  if (has_references && (type->element_size == 0 || type->element_size % SPGC_WORD_BYTES != 0))
    return "its descriptor has elements with references whose size is not a multiple of 8";
  if (spgc_type_is_weak(type) &&
      (!has_references || type->reference_count != 0 || (type->flags & SPGC_TYPE_VALUES) != 0))
    return "its descriptor has weak elements without references, or beside strong references";
  return check_offsets(pages, type->element_reference_offsets, type->element_reference_count, 0,
                       type->element_size);
}

static const char *check_names(struct spgc_readable_pages *pages, uintptr_t header,
                               const struct spgc_type *type) {
  uintptr_t table = 0, name;
  if (type->field_names == 0)
    return NULL;
  if (type->field_names < sizeof *type || type->field_names % SPGC_WORD_BYTES != 0)
    return "its descriptor's field_names is not the offset of a member after it";
  if (!read_untrusted(pages, header + type->field_names, &table, sizeof table))
    return "its descriptor's table of names is not readable";
  for (uint32_t i = 0; table != 0 && i < spgc_type_field_count(type); i++)
    if (!read_untrusted(pages, table + i * sizeof name, &name, sizeof name))
      return "its descriptor's table of names is not readable";
  return NULL;
}

const char *spgc_check_type(const struct spgc_heap *heap, struct spgc_readable_pages *pages,
                            uintptr_t header) {
  enum {
    KNOWN_FLAGS = SPGC_TYPE_TAIL | SPGC_TYPE_VALUES | SPGC_TYPE_TAIL_VALUES | SPGC_TYPE_TAIL_WEAK
  };
  if (spgc_heap_spans(heap, header))
    return "its header leads into the heap";
  if (header == 0 || header % _Alignof(struct spgc_type) != 0)
    return "its header is not a descriptor's address";
  uintptr_t untrusted = 0,
            *known = pages == NULL ? &untrusted
                                   : &pages->types[header / sizeof(struct spgc_type) % KNOWN_TYPES];
  if (*known == header)
    return NULL;
  struct spgc_type type = {0};
  if (!read_untrusted(pages, header, &type, sizeof type))
    return "its header leads to memory that is not readable; a library may have been closed while "
           "objects of its types were in memory";
  if (type.size < SPGC_WORD_BYTES || type.size % SPGC_WORD_BYTES != 0 ||
      (type.flags & ~(unsigned)KNOWN_FLAGS) != 0)
    return "its header does not lead to a descriptor";
  uint32_t least = (type.flags & SPGC_TYPE_TAIL) != 0 ? 2 * SPGC_WORD_BYTES : SPGC_WORD_BYTES;
  const char *wrong =
      check_offsets(pages, type.reference_offsets, type.reference_count, least, type.size);
  if (wrong == NULL)
    wrong = check_tail(pages, &type);
  if (wrong == NULL)
    wrong = check_names(pages, header, &type);
  if (wrong == NULL)
    *known = header;
  return wrong;
}

static void copy_text(struct spgc_readable_pages *pages, uintptr_t address,
                      char text[SPGC_TYPE_NAME_BYTES]) {
  memset(text, 0, SPGC_TYPE_NAME_BYTES);
  for (size_t i = 0; i < SPGC_TYPE_NAME_BYTES - 1; i++)
    if (!read_untrusted(pages, address + i, text + i, 1) || text[i] == '\0')
      return;
}

void spgc_type_name_copy(const struct spgc_heap *heap, uintptr_t header,
                         char name[SPGC_TYPE_NAME_BYTES]) {
  struct spgc_readable_pages pages = {.known = {0}};
  struct spgc_type type = {0};
  strcpy(name, "object of a type that is gone");
  if (spgc_check_type(heap, &pages, header) != NULL ||
      !read_untrusted(&pages, header, &type, sizeof type))
    return;
  strcpy(name, "object of an unnamed type");
  if (type.name != NULL)
    copy_text(&pages, (uintptr_t)type.name, name);
}
