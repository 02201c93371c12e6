#include "snapshot_reader.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/assertions.h"

static const char *const node_fields[] = {"type",       "name",          "id",          "self_size",
                                          "edge_count", "trace_node_id", "detachedness"};
static const char *const edge_fields[] = {"type", "name_or_index", "to_node"};
enum { NODE_FIELDS = 7, EDGE_FIELDS = 3 };

/* If strict, json-c 0.18 takes UTF-8 for control characters (its issue 892). */
enum { IS_0_18 = JSON_C_VERSION_NUM >> 8 == 18, STRICT = IS_0_18 ? 0 : JSON_TOKENER_STRICT };

static json_object *read_json(const char *path) {
  FILE *file = fopen(path, "rb");
  ck_assert_msg(file != NULL, "%s is not there", path);
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char *text = malloc((size_t)size);
  ck_assert_uint_eq(fread(text, 1, (size_t)size, file), (size_t)size);
  fclose(file);
  json_tokener *tokener = json_tokener_new();
  json_tokener_set_flags(tokener, STRICT | JSON_TOKENER_VALIDATE_UTF8);
  json_object *root = json_tokener_parse_ex(tokener, text, (int)size);
  ck_assert_msg(root != NULL, "%s: %s at byte %zu", path,
                json_tokener_error_desc(json_tokener_get_error(tokener)),
                json_tokener_get_parse_end(tokener));
  json_tokener_free(tokener);
  free(text);
  return root;
}

static json_object *member(json_object *object, const char *name) {
  json_object *found;
  ck_assert_msg(json_object_object_get_ex(object, name, &found), "no member %s", name);
  return found;
}

static uint64_t number_at(json_object *array, size_t index) {
  json_object *number = json_object_array_get_idx(array, index);
  ck_assert(json_object_is_type(number, json_type_int));
  uint64_t value = json_object_get_uint64(number);
  ck_assert_uint_le(value, UINT32_MAX);
  return value;
}

static void check_fields(json_object *fields, const char *const *names, size_t count) {
  ck_assert_uint_eq(json_object_array_length(fields), count);
  for (size_t i = 0; i < count; i++)
    ck_assert_str_eq(json_object_get_string(json_object_array_get_idx(fields, i)), names[i]);
}

static const char *string_at(json_object *strings, uint64_t index) {
  ck_assert_uint_lt(index, json_object_array_length(strings));
  return json_object_get_string(json_object_array_get_idx(strings, index));
}

static void read_nodes(struct read_snapshot *snapshot, json_object *nodes, json_object *strings) {
  uint64_t edges = 0;
  ck_assert_uint_eq(json_object_array_length(nodes), snapshot->node_count * NODE_FIELDS);
  for (uint64_t i = 0; i < snapshot->node_count; i++) {
    uint64_t at = i * NODE_FIELDS;
    snapshot->nodes[i] = (struct read_node){.type = (unsigned)number_at(nodes, at),
                                            .name = string_at(strings, number_at(nodes, at + 1)),
                                            .id = number_at(nodes, at + 2),
                                            .bytes = number_at(nodes, at + 3),
                                            .first_edge = edges,
                                            .edge_count = number_at(nodes, at + 4)};
    ck_assert(snapshot->nodes[i].type == NODE_OBJECT || snapshot->nodes[i].type == NODE_SYNTHETIC);
    edges += snapshot->nodes[i].edge_count;
  }
  ck_assert_uint_eq(edges, snapshot->edge_count);
}

static void read_edges(struct read_snapshot *snapshot, json_object *edges, json_object *strings) {
  ck_assert_uint_eq(json_object_array_length(edges), snapshot->edge_count * EDGE_FIELDS);
  for (uint64_t i = 0; i < snapshot->edge_count; i++) {
    uint64_t at = i * EDGE_FIELDS, name = number_at(edges, at + 1), to = number_at(edges, at + 2);
    struct read_edge *edge = &snapshot->edges[i];
    *edge = (struct read_edge){.type = (unsigned)number_at(edges, at), .to = to / NODE_FIELDS};
    ck_assert_uint_eq(to % NODE_FIELDS, 0);
    ck_assert_uint_lt(edge->to, snapshot->node_count);
    if (edge->type == EDGE_ELEMENT)
      edge->index = name;
    else
      edge->name = string_at(strings, name);
  }
}

static int compare_ids(const void *a, const void *b) {
  uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
  return (first > second) - (first < second);
}

static void check_ids(const struct read_snapshot *snapshot) {
  uint64_t *ids = malloc((snapshot->node_count + 1) * sizeof *ids);
  for (uint64_t i = 0; i < snapshot->node_count; i++)
    ids[i] = snapshot->nodes[i].id;
  qsort(ids, snapshot->node_count, sizeof *ids, compare_ids);
  for (uint64_t i = 1; i < snapshot->node_count; i++)
    ck_assert_uint_ne(ids[i - 1], ids[i]);
  free(ids);
}

struct read_snapshot snapshot_read(const char *path) {
  json_object *root = read_json(path), *head = member(root, "snapshot");
  json_object *meta = member(head, "meta"), *strings = member(root, "strings");
  check_fields(member(meta, "node_fields"), node_fields, NODE_FIELDS);
  check_fields(member(meta, "edge_fields"), edge_fields, EDGE_FIELDS);
  struct read_snapshot snapshot = {.node_count = json_object_get_uint64(member(head, "node_count")),
                                   .edge_count = json_object_get_uint64(member(head, "edge_count")),
                                   .text = root};
  snapshot.nodes = calloc(snapshot.node_count + 1, sizeof *snapshot.nodes);
  snapshot.edges = calloc(snapshot.edge_count + 1, sizeof *snapshot.edges);
  read_nodes(&snapshot, member(root, "nodes"), strings);
  read_edges(&snapshot, member(root, "edges"), strings);
  check_ids(&snapshot);
  const char *const empty[] = {"trace_function_infos", "trace_tree", "samples", "locations"};
  for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
    ck_assert_uint_eq(json_object_array_length(member(root, empty[i])), 0);
  return snapshot;
}

void snapshot_free(struct read_snapshot *snapshot) {
  free(snapshot->nodes);
  free(snapshot->edges);
  json_object_put(snapshot->text);
}

uint64_t snapshot_count(const struct read_snapshot *snapshot, const char *name) {
  uint64_t count = 0;
  for (uint64_t i = 0; i < snapshot->node_count; i++)
    count += strcmp(snapshot->nodes[i].name, name) == 0;
  return count;
}

uint64_t snapshot_bytes(const struct read_snapshot *snapshot, const char *name) {
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < snapshot->node_count; i++)
    bytes += strcmp(snapshot->nodes[i].name, name) == 0 ? snapshot->nodes[i].bytes : 0;
  return bytes;
}

uint64_t snapshot_find(const struct read_snapshot *snapshot, const char *name) {
  uint64_t found = 0;
  ck_assert_msg(snapshot_count(snapshot, name) == 1, "there are %lu nodes '%s'",
                (unsigned long)snapshot_count(snapshot, name), name);
  while (strcmp(snapshot->nodes[found].name, name) != 0)
    found++;
  return found;
}

const struct read_edge *snapshot_edge(const struct read_snapshot *snapshot, uint64_t node,
                                      unsigned type, const char *name, uint64_t index) {
  const struct read_node *from = &snapshot->nodes[node];
  for (uint64_t i = 0; i < from->edge_count; i++) {
    const struct read_edge *edge = &snapshot->edges[from->first_edge + i];
    bool has_name = name == NULL ? edge->name == NULL && edge->index == index
                                 : edge->name != NULL && strcmp(edge->name, name) == 0;
    if (edge->type == type && has_name)
      return edge;
  }
  return NULL;
}

void snapshot_require_reachable(const struct read_snapshot *snapshot) {
  uint64_t *waiting = malloc((snapshot->node_count + 1) * sizeof *waiting), count = 0, reached = 1;
  bool *seen = calloc(snapshot->node_count + 1, sizeof *seen);
  waiting[count++] = 0;
  seen[0] = true;
  while (count != 0) {
    const struct read_node *node = &snapshot->nodes[waiting[--count]];
    for (uint64_t i = 0; i < node->edge_count; i++) {
      const struct read_edge *edge = &snapshot->edges[node->first_edge + i];
      if (edge->type == EDGE_WEAK || seen[edge->to])
        continue;
      seen[edge->to] = true;
      waiting[count++] = edge->to;
      reached++;
    }
  }
  ck_assert_uint_eq(reached, snapshot->node_count);
  free(waiting);
  free(seen);
}
