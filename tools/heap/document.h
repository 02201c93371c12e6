#ifndef SPGC_TOOLS_HEAP_DOCUMENT_H
#define SPGC_TOOLS_HEAP_DOCUMENT_H

#include <yajl/yajl_parse.h>

#include "spgc/result.h"
#include "tools/heap/rows.h"

enum part {
  PART_NONE, /* outside the document; the value of an unknown key */
  PART_TOP,
  PART_SNAPSHOT,
  PART_META,
  PART_NODE_FIELDS,
  PART_NODE_TYPES,
  PART_EDGE_FIELDS,
  PART_EDGE_TYPES,
  PART_NODE_TYPE_NAMES, /* the list in the list of types */
  PART_EDGE_TYPE_NAMES,
  PART_NODE_COUNT,
  PART_EDGE_COUNT,
  PART_NODES,
  PART_EDGES,
  PART_STRINGS,
  PART_COUNT,
};

struct document {
  struct snapshot *snapshot;
  struct snapshot_layout layout;
  struct rows nodes, edges;
  uint64_t node_count, edge_count; /* from `snapshot` */

  enum part part;       /* the list or object around the parser */
  enum part next;       /* announced by the last key */
  uint32_t seen;        /* bit i: part i has begun */
  uint32_t depth;       /* lists and objects around the parser */
  uint32_t passed_over; /* how many of those are skipped */
  uint32_t entry;       /* the entry of a list of types */
  struct spgc_error *error;
};

extern const yajl_callbacks document_callbacks;

/* Fails if something is missing or contradictory. */
enum spgc_result document_check(struct document *document);

#endif
