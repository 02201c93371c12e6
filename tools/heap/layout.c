#include "tools/heap/layout.h"

#include <string.h>

const char *const node_field_names[NODE_FIELDS] = {"type", "name", "id", "self_size", "edge_count"};
const char *const edge_field_names[EDGE_FIELDS] = {"type", "name_or_index", "to_node"};

static bool is_name(const char *name, const void *bytes, size_t length) {
  return strlen(name) == length && memcmp(name, bytes, length) == 0;
}

bool layout_add_field(struct layout *layout, const char *const *names, uint32_t count,
                      const void *bytes, size_t length) {
  if (layout->width == LAYOUT_FIELDS)
    return false;
  uint32_t field = 0;
  while (field < count && !is_name(names[field], bytes, length))
    field++;
  layout->fields[layout->width++] = (uint8_t)field;
  layout->known |= field < count ? 1u << field : 0;
  return true;
}

bool layout_add_type(struct layout *layout, const void *bytes, size_t length) {
  if (layout->type_count == LAYOUT_TYPES)
    return false;
  size_t kept = length < LAYOUT_NAME_BYTES ? length : LAYOUT_NAME_BYTES - 1;
  memcpy(layout->types[layout->type_count++], bytes, kept);
  return true;
}

const char *layout_missing(const struct layout *layout, const char *const *names, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if ((layout->known & 1u << i) == 0)
      return names[i];
  return NULL;
}

bool layout_has_types(const struct layout *layout) {
  return layout->type_count > 0 && layout->type_column < layout->width &&
         layout->fields[layout->type_column] == 0; /* the first of either enumeration */
}
