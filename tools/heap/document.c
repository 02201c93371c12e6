#include "tools/heap/document.h"

#include <inttypes.h>
#include <string.h>

#include "support/fatal.h"

enum { DEEPEST = 1 << 16 };
enum { MOST_DIGITS = 19 }; /* any 19 digits fit 64 bits */
enum shape { SHAPE_OBJECT, SHAPE_LIST, SHAPE_NUMBER, SHAPE_STRING, SHAPE_WORD };

static const char *const shape_names[] = {"an object", "a list", "a number", "a string",
                                          "a word as true or null"};

/* Lists of types have entries of two shapes. */
static const struct part_rule {
  const char *key;
  enum part within;
  enum shape shape, entry;
} rules[PART_COUNT] = {
    [PART_TOP] = {"the document", PART_NONE, SHAPE_OBJECT, 0},
    [PART_SNAPSHOT] = {"snapshot", PART_TOP, SHAPE_OBJECT, 0},
    [PART_META] = {"meta", PART_SNAPSHOT, SHAPE_OBJECT, 0},
    [PART_NODE_FIELDS] = {"node_fields", PART_META, SHAPE_LIST, SHAPE_STRING},
    [PART_NODE_TYPES] = {"node_types", PART_META, SHAPE_LIST, SHAPE_STRING},
    [PART_EDGE_FIELDS] = {"edge_fields", PART_META, SHAPE_LIST, SHAPE_STRING},
    [PART_EDGE_TYPES] = {"edge_types", PART_META, SHAPE_LIST, SHAPE_STRING},
    [PART_NODE_TYPE_NAMES] = {"node_types", PART_NODE_TYPES, SHAPE_LIST, SHAPE_STRING},
    [PART_EDGE_TYPE_NAMES] = {"edge_types", PART_EDGE_TYPES, SHAPE_LIST, SHAPE_STRING},
    [PART_NODE_COUNT] = {"node_count", PART_SNAPSHOT, SHAPE_NUMBER, 0},
    [PART_EDGE_COUNT] = {"edge_count", PART_SNAPSHOT, SHAPE_NUMBER, 0},
    [PART_NODES] = {"nodes", PART_TOP, SHAPE_LIST, SHAPE_NUMBER},
    [PART_EDGES] = {"edges", PART_TOP, SHAPE_LIST, SHAPE_NUMBER},
    [PART_STRINGS] = {"strings", PART_TOP, SHAPE_LIST, SHAPE_STRING},
};

#define refuse(document, ...)                                                                      \
  (spgc_error_set((document)->error, SPGC_ERROR_MALFORMED, 0, __VA_ARGS__), false)

static bool has_begun(const struct document *document, enum part part) {
  return (document->seen & 1u << part) != 0;
}

static bool refuse_shape(struct document *document, enum part part, enum shape found,
                         enum shape wanted) {
  return refuse(document, "%s is %s where %s belongs", rules[part].key, shape_names[found],
                shape_names[wanted]);
}

/* False, with an error, if rows of the list cannot be read yet. */
static bool check_layout(struct document *document, enum part part) {
  bool is_nodes = part == PART_NODES;
  const struct layout *layout = is_nodes ? &document->layout.nodes : &document->layout.edges;
  const char *missing = is_nodes ? layout_missing(layout, node_field_names, NODE_FIELDS)
                                 : layout_missing(layout, edge_field_names, EDGE_FIELDS);
  const char *list = is_nodes ? "node" : "edge";
  if (!has_begun(document, PART_META))
    return refuse(document, "%s comes before meta, or without it", rules[part].key);
  if (missing != NULL)
    return refuse(document, "meta lists no field %s in %s_fields", missing, list);
  if (!layout_has_types(layout))
    return refuse(document, "meta has no list of types for the field type in %s_types", list);
  return true;
}

static enum edge_kind edge_kind_named(const char *name) {
  if (strcmp(name, "weak") == 0)
    return EDGE_WEAK;
  if (strcmp(name, "shortcut") == 0)
    return EDGE_SHORTCUT;
  return strcmp(name, "element") == 0 || strcmp(name, "hidden") == 0 ? EDGE_INDEXED : EDGE_NAMED;
}

static bool begin_nodes(struct document *document) {
  if (!check_layout(document, PART_NODES))
    return false;
  rows_begin(&document->nodes, &document->layout.nodes);
  return true;
}

static bool begin_edges(struct document *document) {
  const struct layout *layout = &document->layout.edges;
  if (!check_layout(document, PART_EDGES))
    return false;
  if (!has_begun(document, PART_NODES))
    return refuse(document, "edges comes before nodes");
  rows_begin(&document->edges, layout);
  document->edges.edges_told = document->nodes.edges_told;
  document->edges.node_width = document->layout.nodes.width;
  for (uint32_t i = 0; i < layout->type_count; i++)
    document->edges.edge_kinds[i] = (uint8_t)edge_kind_named(layout->types[i]);
  return true;
}

static bool begin_part(struct document *document, enum part part) {
  if (has_begun(document, part))
    return refuse(document, "%s is there twice", rules[part].key);
  document->seen |= 1u << part;
  document->part = part;
  switch (part) {
  case PART_NODE_TYPES:
  case PART_EDGE_TYPES: document->entry = 0; return true;
  case PART_NODE_TYPE_NAMES: document->layout.nodes.type_column = document->entry; return true;
  case PART_EDGE_TYPE_NAMES: document->layout.edges.type_column = document->entry; return true;
  case PART_NODES: return begin_nodes(document);
  case PART_EDGES: return begin_edges(document);
  default: return true;
  }
}

/* PART_NONE: it is skipped, or does not belong here. */
static enum part beginning_part(const struct document *document, enum shape shape) {
  enum part names = document->part == PART_NODE_TYPES   ? PART_NODE_TYPE_NAMES
                    : document->part == PART_EDGE_TYPES ? PART_EDGE_TYPE_NAMES
                                                        : PART_NONE;
  if (document->part == PART_NONE)
    return PART_TOP;
  if (names != PART_NONE && shape == SHAPE_LIST && !has_begun(document, names))
    return names;
  return rules[document->part].shape == SHAPE_OBJECT ? document->next : PART_NONE;
}

static bool begin(struct document *document, enum shape shape) {
  bool is_type_list = document->part == PART_NODE_TYPES || document->part == PART_EDGE_TYPES;
  if (++document->depth > DEEPEST)
    return refuse(document, "lists and objects are nested more than %d deep", DEEPEST);
  if (document->passed_over > 0)
    return ++document->passed_over, true;
  enum part part = beginning_part(document, shape);
  if (part != PART_NONE)
    return rules[part].shape == shape ? begin_part(document, part)
                                      : refuse_shape(document, part, shape, rules[part].shape);
  if (rules[document->part].shape == SHAPE_LIST && !is_type_list)
    return refuse(document, "an entry of %s is %s where %s belongs", rules[document->part].key,
                  shape_names[shape], shape_names[rules[document->part].entry]);
  document->passed_over = 1;
  return true;
}

static bool end(struct document *document) {
  document->depth--;
  if (document->passed_over > 0) {
    if (--document->passed_over == 0)
      document->entry++;
    return true;
  }
  enum part part = document->part;
  document->part = rules[part].within;
  if (part == PART_NODE_TYPE_NAMES || part == PART_EDGE_TYPE_NAMES)
    document->entry++;
  if ((part == PART_NODES && document->nodes.column != 0) ||
      (part == PART_EDGES && document->edges.column != 0))
    return refuse(document, "%s ends within a row", rules[part].key);
  return true;
}

/* False, with an error, unless a value of this shape may be here. */
static bool takes(struct document *document, enum shape shape, bool *is_wanted) {
  const struct part_rule *rule = &rules[document->part];
  *is_wanted = false;
  if (document->passed_over > 0)
    return true;
  if (document->part == PART_NONE)
    return refuse_shape(document, PART_TOP, shape, SHAPE_OBJECT);
  if (rule->shape == SHAPE_OBJECT) {
    if (document->next == PART_NONE)
      return true;
    *is_wanted = rules[document->next].shape == shape;
    return *is_wanted || refuse_shape(document, document->next, shape, rules[document->next].shape);
  }
  *is_wanted = rule->entry == shape;
  return *is_wanted || refuse(document, "an entry of %s is %s where %s belongs", rule->key,
                              shape_names[shape], shape_names[rule->entry]);
}

static bool parse_number(struct document *document, const char *text, size_t length,
                         uint64_t *number) {
  uint64_t sum = 0;
  for (size_t i = 0; i < length; i++) {
    if (text[i] < '0' || text[i] > '9' || i == MOST_DIGITS)
      return refuse(document, "%.*s is not an unsigned integer of at most %d digits",
                    (int)(length < 40 ? length : 40), text, MOST_DIGITS);
    sum = sum * 10 + (uint64_t)(text[i] - '0');
  }
  *number = sum;
  return true;
}

static int on_number(void *context, const char *text, size_t length) {
  struct document *document = context;
  bool is_wanted;
  uint64_t number;
  if (!takes(document, SHAPE_NUMBER, &is_wanted))
    return false;
  if (!is_wanted)
    return true;
  if (!parse_number(document, text, length, &number))
    return false;
  switch (document->part) {
  case PART_NODES:
    return rows_add_to_nodes(&document->nodes, document->snapshot, number, document->error);
  case PART_EDGES:
    return rows_add_to_edges(&document->edges, document->snapshot, number, document->error);
  default: break;
  }
  document->seen |= 1u << document->next;
  *(document->next == PART_NODE_COUNT ? &document->node_count : &document->edge_count) = number;
  return true;
}

static bool add_string(struct document *document, const unsigned char *bytes, size_t length) {
  if (document->snapshot->strings.count == NO_NUMBER - LAYOUT_TYPES)
    return refuse(document, "there are too many strings");
  strings_add(&document->snapshot->strings, bytes, length);
  return true;
}

static int on_string(void *context, const unsigned char *bytes, size_t length) {
  struct document *document = context;
  struct layout *nodes = &document->layout.nodes, *edges = &document->layout.edges;
  bool is_wanted, has_space = true;
  if (!takes(document, SHAPE_STRING, &is_wanted))
    return false;
  if (!is_wanted)
    return true;
  switch (document->part) {
  case PART_STRINGS: return add_string(document, bytes, length);
  case PART_NODE_FIELDS:
    has_space = layout_add_field(nodes, node_field_names, NODE_FIELDS, bytes, length);
    break;
  case PART_EDGE_FIELDS:
    has_space = layout_add_field(edges, edge_field_names, EDGE_FIELDS, bytes, length);
    break;
  case PART_NODE_TYPE_NAMES: has_space = layout_add_type(nodes, bytes, length); break;
  case PART_EDGE_TYPE_NAMES: has_space = layout_add_type(edges, bytes, length); break;
  default: document->entry++; break;
  }
  return has_space || refuse(document, "%s has too many entries", rules[document->part].key);
}

static int on_word(void *context) {
  bool is_wanted;
  return takes(context, SHAPE_WORD, &is_wanted);
}

static int on_boolean(void *context, int value) {
  return on_word(context);
}

static int on_key(void *context, const unsigned char *bytes, size_t length) {
  struct document *document = context;
  document->next = PART_NONE;
  if (document->passed_over > 0)
    return true;
  for (enum part part = PART_SNAPSHOT; part < PART_COUNT; part++)
    if (rules[part].within == document->part && strlen(rules[part].key) == length &&
        memcmp(rules[part].key, bytes, length) == 0)
      document->next = part;
  return true;
}

static int on_object(void *context) {
  return begin(context, SHAPE_OBJECT);
}

static int on_list(void *context) {
  return begin(context, SHAPE_LIST);
}

static int on_end(void *context) {
  return end(context);
}

const yajl_callbacks document_callbacks = {
    .yajl_null = on_word,
    .yajl_boolean = on_boolean,
    .yajl_number = on_number,
    .yajl_string = on_string,
    .yajl_start_map = on_object,
    .yajl_map_key = on_key,
    .yajl_end_map = on_end,
    .yajl_start_array = on_list,
    .yajl_end_array = on_end,
};
