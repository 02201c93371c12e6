/* Type descriptors: how the collector reads an object.
 *
 *   object:   +0   address of its struct spgc_type (outside the heap, never moves)
 *             +8   length, iff the type has a tail
 *             ...  rest of the fixed part, up to type->size
 *             +size          element 0 of the tail
 *             +size + k * element_size   element k
 *
 *   bytes(object) = round_up(size + length * element_size, 8)
 *
 * A word at a listed offset, or any word of a `values` part, may also be an immediate, such as
 * null, a double or a pointer to unmanaged memory (spgc/ref.h). Fields hold base pointers, never
 * interior ones.
 *
 * A language may begin its own class or shape structure with a descriptor. Then the header is its
 * class pointer too. Between safepoints it may be replaced by another with the same object size.
 * The next collection still treats any word that received a reference or null since the last one as
 * a reference.
 *
 * A descriptor is constant and must outlive its objects. The process ends with a message when an
 * allocation with a wrong one first leaves the inline path. verify=full checks those of all
 * objects, the lowering constant ones. */
#ifndef SPGC_TYPE_H
#define SPGC_TYPE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Properties of a type. */
enum spgc_type_flags {
  SPGC_TYPE_TAIL = 1u << 0, /* the second word is a length; `element_*` describe the tail */
  SPGC_TYPE_VALUES =
      1u << 1, /* every word of the fixed part after header (and length) may be a reference */
  SPGC_TYPE_TAIL_VALUES = 1u << 2, /* every word of the tail may be a reference; element_size is a
                                      multiple of 8 */
  SPGC_TYPE_TAIL_WEAK = 1u << 3,   /* the tail's references keep nothing alive (below) */
};

/* With SPGC_TYPE_TAIL_WEAK, the references of the tail keep no object alive. The fixed part then
 * has none. Elements become null when their objects are found dead: by a minor collection if the
 * object is young, else when a marking of the old space ends. A minor collection may keep some, for
 * instance in arrays up to 8 KiB to which little was stored. Other words of an element stay as they
 * are, so a table can tell a cleared element from an unused one.
 *
 * Elements are read and written like others; a reference that was read keeps its object alive. They
 * are cleared before objects are queued for finalizers (spgc/finalizer.h), except in an array that
 * only such objects refer to. */

/* Generated code reads `size` and `element_size` at offsets 0 and 4 (codegen/prelude.ll). */
struct spgc_type {
  uint32_t
      size; /* bytes of the fixed part, header and length included: a multiple of 8, at least 8 */
  uint32_t element_size; /* bytes of a tail element; 0 without a tail */
  uint32_t flags;        /* enum spgc_type_flags */
  uint32_t reference_count;
  const uint32_t *reference_offsets; /* bytes from the object's start: multiples of 8, ascending */
  uint32_t element_reference_count;
  uint32_t field_names; /* bytes from the descriptor to the address of its table of names, or 0
                           (struct spgc_named_type) */
  const uint32_t *element_reference_offsets; /* likewise, from the element's start */
  const char *name;                          /* for messages and statistics; may be NULL */
};

/* A descriptor with names of fields, for heap snapshots (spgc/snapshot.h). Any structure that
 * begins with a descriptor may have a member like `names`; `field_names` is its offset, a multiple
 * of 8 and at least sizeof(struct spgc_type).
 *
 * The table has a name for each entry of `reference_offsets`, in order; with SPGC_TYPE_VALUES, for
 * each word of the fixed part after header (and length). A name may be NULL, and so may the table.
 * Like the descriptor, they must outlive its objects. */
struct spgc_named_type {
  struct spgc_type type;
  const char *const *names;
};

#ifdef __cplusplus
}
#endif

#endif
