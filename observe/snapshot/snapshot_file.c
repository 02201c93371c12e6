#include "observe/snapshot/snapshot_file.h"

#include <errno.h>
#include <string.h>

/* V8's node_fields. An edge's target is an index into the array of nodes. */
enum { NODE_FIELDS = 7, DIGITS = 20, LINE_BYTES = 2 + NODE_FIELDS * (DIGITS + 1) };

struct writing {
  struct spgc_output *output;
  struct spgc_graph *graph;
  uint64_t edge_count; /* a node's while nodes are written, else all */
  bool has_items;
  size_t line_bytes;
  char line[LINE_BYTES];
};

static void write_text(struct spgc_output *output, const char *text) {
  spgc_output_write(output, text, strlen(text));
}

/* Before `end`. Returns the start of the digits. */
static char *put_number(char *end, uint64_t number) {
  do
    *--end = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  return end;
}

static void write_number(struct spgc_output *output, uint64_t number) {
  char text[DIGITS];
  const char *start = put_number(text + DIGITS, number);
  spgc_output_write(output, start, (size_t)(text + DIGITS - start));
}

static void add_digits(struct writing *writing, uint64_t number) {
  char text[DIGITS];
  const char *start = put_number(text + DIGITS, number);
  size_t length = (size_t)(text + DIGITS - start);
  memcpy(writing->line + writing->line_bytes, start, length);
  writing->line_bytes += length;
}

static void begin_item(struct writing *writing, uint64_t first_number) {
  memcpy(writing->line, ",\n", 2);
  writing->line_bytes = 2;
  add_digits(writing, first_number);
}

static void add_number(struct writing *writing, uint64_t number) {
  writing->line[writing->line_bytes++] = ',';
  add_digits(writing, number);
}

/* Without a comma before an array's first item. */
static void end_item(struct writing *writing) {
  size_t comma = writing->has_items ? 0 : 1;
  spgc_output_write(writing->output, writing->line + comma, writing->line_bytes - comma);
  writing->has_items = true;
}

/* Of a UTF-8 character, or 0. */
static size_t character_bytes(const unsigned char *text, size_t length) {
  unsigned char first = text[0];
  size_t bytes = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (bytes == 0 || bytes > length || first > 0xf4)
    return 0;
  for (size_t i = 1; i < bytes; i++)
    if ((text[i] & 0xc0) != 0x80)
      return 0;
  bool is_long = (first == 0xe0 && text[1] < 0xa0) || (first == 0xf0 && text[1] < 0x90);
  bool is_surrogate = first == 0xed && text[1] >= 0xa0;
  bool is_beyond = first == 0xf4 && text[1] >= 0x90;
  return is_long || is_surrogate || is_beyond ? 0 : bytes;
}

static void write_escaped(struct spgc_output *output, unsigned char c) {
  static const char digits[] = "0123456789abcdef";
  const char escaped[] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15]};
  spgc_output_write(output, escaped, sizeof escaped);
}

/* Names may be any bytes. Those that are not UTF-8 become U+FFFD. */
static void write_string(struct spgc_output *output, const char *text, size_t length) {
  const unsigned char *next = (const unsigned char *)text, *end = next + length;
  spgc_output_write(output, "\"", 1);
  while (next < end) {
    size_t bytes = character_bytes(next, (size_t)(end - next));
    if (bytes == 0)
      write_text(output, "\\ufffd");
    else if (*next < ' ' || *next == '"' || *next == '\\' || *next == 0x7f)
      write_escaped(output, *next);
    else
      spgc_output_write(output, next, bytes);
    next += bytes != 0 ? bytes : 1;
  }
  spgc_output_write(output, "\"", 1);
}

static void count_edge(void *writing, const struct spgc_edge *edge) {
  ((struct writing *)writing)->edge_count++;
}

static void count_object_edges(void *context, struct spgc_ref object) {
  struct writing *writing = context;
  spgc_graph_object_edges(writing->graph, object, count_edge, writing);
}

/* Also adds every string. */
static void count(struct writing *writing) {
  struct spgc_graph *graph = writing->graph;
  spgc_graph_root(graph);
  spgc_graph_root_edges(graph, count_edge, writing);
  for (uint64_t i = 0; i < graph->group_count; i++) {
    spgc_graph_group(graph, i);
    spgc_graph_group_edges(graph, i, count_edge, writing);
  }
  spgc_reachable_each(&graph->reachable, count_object_edges, writing);
}

static void write_node(struct writing *writing, const struct spgc_node *node) {
  enum { NO_TRACE = 0, NOT_DETACHED = 0 };
  begin_item(writing, node->type);
  add_number(writing, node->name);
  add_number(writing, node->id);
  add_number(writing, node->bytes);
  add_number(writing, writing->edge_count);
  add_number(writing, NO_TRACE);
  add_number(writing, NOT_DETACHED);
  end_item(writing);
}

static void write_object(void *context, struct spgc_ref object) {
  struct writing *writing = context;
  const struct spgc_node node = spgc_graph_object(writing->graph, object);
  writing->edge_count = 0;
  count_object_edges(writing, object);
  write_node(writing, &node);
}

static void write_nodes(struct writing *writing) {
  struct spgc_graph *graph = writing->graph;
  struct spgc_node node = spgc_graph_root(graph);
  writing->edge_count = graph->group_count;
  write_node(writing, &node);
  for (uint64_t i = 0; i < graph->group_count; i++) {
    node = spgc_graph_group(graph, i);
    writing->edge_count = 0;
    spgc_graph_group_edges(graph, i, count_edge, writing);
    write_node(writing, &node);
  }
  spgc_reachable_each(&graph->reachable, write_object, writing);
  writing->edge_count = 0;
  for (uint64_t i = 0; i < spgc_graph_parts(graph); i++) {
    node = spgc_graph_part(graph, i);
    write_node(writing, &node);
  }
}

static void write_edge(void *context, const struct spgc_edge *edge) {
  struct writing *writing = context;
  uint32_t first_place = spgc_string_pool_count(&writing->graph->strings);
  begin_item(writing, edge->type);
  add_number(writing, edge->is_place ? first_place + edge->name : edge->name);
  add_number(writing, spgc_graph_target(writing->graph, edge) * NODE_FIELDS);
  end_item(writing);
}

static void write_object_edges(void *context, struct spgc_ref object) {
  struct writing *writing = context;
  spgc_graph_object_edges(writing->graph, object, write_edge, writing);
}

static void write_edges(struct writing *writing) {
  struct spgc_graph *graph = writing->graph;
  spgc_graph_root_edges(graph, write_edge, writing);
  for (uint64_t i = 0; i < graph->group_count; i++)
    spgc_graph_group_edges(graph, i, write_edge, writing);
  spgc_reachable_each(&graph->reachable, write_object_edges, writing);
}

static void write_head(struct writing *writing) {
  write_text(writing->output,
             "{\"snapshot\":{\"meta\":{\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\","
             "\"edge_count\",\"trace_node_id\",\"detachedness\"],\"node_types\":[[\"hidden\","
             "\"array\",\"string\",\"object\",\"code\",\"closure\",\"regexp\",\"number\","
             "\"native\",\"synthetic\"],\"string\",\"number\",\"number\",\"number\",\"number\","
             "\"number\"],\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],"
             "\"edge_types\":[[\"context\",\"element\",\"property\",\"internal\",\"hidden\","
             "\"shortcut\",\"weak\"],\"string_or_number\",\"node\"],"
             "\"trace_function_info_fields\":[\"function_id\",\"name\",\"script_name\","
             "\"script_id\",\"line\",\"column\"],\"trace_node_fields\":[\"id\","
             "\"function_info_index\",\"count\",\"size\",\"children\"],\"sample_fields\":["
             "\"timestamp_us\",\"last_assigned_id\"]},\"node_count\":");
  write_number(writing->output, spgc_graph_nodes(writing->graph));
  write_text(writing->output, ",\"edge_count\":");
  write_number(writing->output, writing->edge_count);
  write_text(writing->output, ",\"trace_function_count\":0},\n\"nodes\":[");
}

static void write_strings(struct writing *writing) {
  const struct spgc_string_pool *strings = &writing->graph->strings;
  for (uint32_t i = 0; i < spgc_string_pool_count(strings); i++) {
    size_t length;
    const char *text = spgc_string_pool_text(strings, i, &length);
    if (i != 0)
      write_text(writing->output, ",\n");
    write_string(writing->output, text, length);
  }
}

int spgc_snapshot_file_write(struct spgc_output *output, struct spgc_graph *graph) {
  struct writing writing = {.output = output, .graph = graph};
  if (spgc_graph_nodes(graph) > UINT32_MAX / NODE_FIELDS)
    return EOVERFLOW;
  count(&writing);
  if (!spgc_graph_is_complete(graph))
    return ENOMEM;
  write_head(&writing);
  write_nodes(&writing);
  write_text(output, "],\n\"edges\":[");
  writing.has_items = false;
  write_edges(&writing);
  write_text(output, "],\n\"trace_function_infos\":[],\"trace_tree\":[],\"samples\":[],"
                     "\"locations\":[],\n\"strings\":[");
  write_strings(&writing);
  spgc_output_flush(output);
  return output->error;
}

void spgc_snapshot_file_string(struct spgc_output *output, const char *text, size_t length) {
  write_text(output, ",\n");
  write_string(output, text, length);
}

void spgc_snapshot_file_end(struct spgc_output *output) {
  write_text(output, "]}\n");
}
