#ifndef SPGC_TOOLS_HEAP_ROWS_H
#define SPGC_TOOLS_HEAP_ROWS_H

#include "spgc/result.h"
#include "tools/heap/layout.h"
#include "tools/heap/snapshot.h"

struct rows {
  const struct layout *layout;
  uint32_t column;
  uint64_t row[NODE_FIELDS + 1]; /* index: the field; the last place is for skipped numbers */
  uint64_t edges_told;
  uint8_t edge_kinds[LAYOUT_TYPES];
  uint32_t node_width; /* targets of edges are multiples of it */
};

/* The list's layout must be known. */
void rows_begin(struct rows *rows, const struct layout *layout);

/* Add the list's next number. False, with an error, if it is refused. */
bool rows_add_to_nodes(struct rows *rows, struct snapshot *snapshot, uint64_t number,
                       struct spgc_error *error);
bool rows_add_to_edges(struct rows *rows, struct snapshot *snapshot, uint64_t number,
                       struct spgc_error *error);

#endif
