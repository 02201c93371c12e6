/* A row's numbers, by the file's `meta`. */
#ifndef SPGC_TOOLS_HEAP_LAYOUT_H
#define SPGC_TOOLS_HEAP_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAYOUT_FIELDS = 32, LAYOUT_TYPES = 64, LAYOUT_NAME_BYTES = 32 };

enum node_field {
  NODE_TYPE,
  NODE_NAME,
  NODE_ID,
  NODE_SELF_SIZE,
  NODE_EDGE_COUNT,
  NODE_FIELDS,
};
enum edge_field { EDGE_TYPE, EDGE_LABEL, EDGE_TARGET, EDGE_FIELDS };

struct layout {
  uint32_t width;                              /* numbers in a row; 0 until the fields are known */
  uint8_t fields[LAYOUT_FIELDS];               /* each number's field, or one past the last */
  uint32_t known;                              /* bit i: rows have field i */
  char types[LAYOUT_TYPES][LAYOUT_NAME_BYTES]; /* names of the values of `type`, cut if long */
  uint32_t type_count;
  uint32_t type_column; /* the row's position of values with these names */
};

struct snapshot_layout {
  struct layout nodes, edges;
};

/* False: there are too many. */
bool layout_add_field(struct layout *layout, const char *const *names, uint32_t count,
                      const void *bytes, size_t length);
bool layout_add_type(struct layout *layout, const void *bytes, size_t length);

extern const char *const node_field_names[NODE_FIELDS];
extern const char *const edge_field_names[EDGE_FIELDS];

/* The first missing field, or NULL. */
const char *layout_missing(const struct layout *layout, const char *const *names, uint32_t count);

bool layout_has_types(const struct layout *layout);

#endif
