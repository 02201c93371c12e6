/* How the numbers of a snapshot's two long lists are to be read: `meta` of the file. */
#ifndef SPGC_TOOLS_HEAP_LAYOUT_H
#define SPGC_TOOLS_HEAP_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAYOUT_FIELDS = 32, LAYOUT_TYPES = 64, LAYOUT_NAME_BYTES = 32 };

/* The fields that are read. Those of other names are passed over. */
enum node_field {
  NODE_TYPE,
  NODE_NAME,
  NODE_ID,
  NODE_SELF_SIZE,
  NODE_EDGE_COUNT,
  NODE_FIELDS,
};
enum edge_field { EDGE_TYPE, EDGE_LABEL, EDGE_TARGET, EDGE_FIELDS };

/* One of the two lists. Its numbers lie in rows, one for each node or edge. */
struct layout {
  uint32_t width;                /* numbers of a row; 0 until the fields are known */
  uint8_t fields[LAYOUT_FIELDS]; /* what each is: a field, or one past the last field */
  uint32_t known;                /* bit i: field i is in the rows */
  char types[LAYOUT_TYPES][LAYOUT_NAME_BYTES]; /* names of the values of `type`, cut if long */
  uint32_t type_count;
  uint32_t type_column; /* where in a row the file has the values with these names */
};

struct snapshot_layout {
  struct layout nodes, edges;
};

/* Notes the next field of a row, or the next type. False: there are too many. */
bool layout_add_field(struct layout *layout, const char *const *names, uint32_t count,
                      const void *bytes, size_t length);
bool layout_add_type(struct layout *layout, const void *bytes, size_t length);

/* The names of the fields that are read, in the order of the enumerations. */
extern const char *const node_field_names[NODE_FIELDS];
extern const char *const edge_field_names[EDGE_FIELDS];

/* NULL if all fields are there, or else a missing one. */
const char *layout_missing(const struct layout *layout, const char *const *names, uint32_t count);

/* Whether the names of types are those of the field `type`. */
bool layout_has_types(const struct layout *layout);

#endif
