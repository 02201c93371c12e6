#include "tools/heap/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/fatal.h"
#include "tools/heap/command.h"
#include "tools/heap/document.h"
#include "tools/heap/memory.h"

enum { CHUNK_BYTES = 1 << 18 };

#define refuse(error, ...) (spgc_error_set(error, SPGC_ERROR_MALFORMED, 0, __VA_ARGS__))

static enum spgc_result check_counts(const struct document *document) {
  const struct snapshot *snapshot = document->snapshot;
  struct spgc_error *error = document->error;
  static const struct {
    enum part part;
    const char *name;
  } required[] = {{PART_NODES, "nodes"},
                  {PART_EDGES, "edges"},
                  {PART_STRINGS, "strings"},
                  {PART_NODE_COUNT, "snapshot.node_count"},
                  {PART_EDGE_COUNT, "snapshot.edge_count"}};
  for (size_t i = 0; i < sizeof required / sizeof required[0]; i++)
    if ((document->seen & 1u << required[i].part) == 0)
      return refuse(error, "not a heap snapshot: it has no %s", required[i].name);
  if (snapshot->node_count == 0)
    return refuse(error, "there is no node, not even a root");
  if (snapshot->node_count != document->node_count)
    return refuse(error, "there are %" PRIu32 " nodes, not %" PRIu64 " as node_count says",
                  snapshot->node_count, document->node_count);
  if (snapshot->edge_count != document->edge_count)
    return refuse(error, "there are %" PRIu32 " edges, not %" PRIu64 " as edge_count says",
                  snapshot->edge_count, document->edge_count);
  if (snapshot->edge_count != document->nodes.edges_told)
    return refuse(error, "there are %" PRIu32 " edges, not %" PRIu64 " as the nodes declare",
                  snapshot->edge_count, document->nodes.edges_told);
  return SPGC_OK;
}

/* V8 names some elements by their index, as a string. */
static bool is_index(const char *text, uint32_t *index) {
  char *end;
  if (text[0] < '0' || text[0] > '9' || (text[0] == '0' && text[1] != '\0'))
    return false;
  unsigned long number = strtoul(text, &end, 10);
  *index = (uint32_t)number;
  return *end == '\0' && number < NO_NUMBER;
}

/* The strings must be in the file. The first of equal ones is used. */
static enum spgc_result resolve_strings(struct snapshot *snapshot, struct spgc_error *error) {
  const struct strings *strings = &snapshot->strings;
  for (uint32_t node = 0; node < snapshot->node_count; node++) {
    if (snapshot->names[node] >= strings->count)
      return refuse(error, "the name of node %" PRIu32 " is string %" PRIu32 " of %" PRIu32, node,
                    snapshot->names[node], strings->count);
    snapshot->names[node] = strings->first[snapshot->names[node]];
  }
  for (uint32_t edge = 0; edge < snapshot->edge_count; edge++) {
    if (snapshot->kinds[edge] == EDGE_INDEXED)
      continue;
    if (snapshot->labels[edge] >= strings->count)
      return refuse(error, "the name of edge %" PRIu32 " is string %" PRIu32 " of %" PRIu32, edge,
                    snapshot->labels[edge], strings->count);
    uint32_t string = strings->first[snapshot->labels[edge]];
    bool is_element = snapshot->kinds[edge] == EDGE_NAMED &&
                      is_index(strings_text(strings, string), &snapshot->labels[edge]);
    if (is_element)
      snapshot->kinds[edge] = EDGE_INDEXED;
    else
      snapshot->labels[edge] = string;
  }
  return SPGC_OK;
}

/* As DevTools does. */
static void name_classes(struct snapshot *snapshot, const struct layout *layout) {
  static const struct {
    const char *type, *class;
  } classes[] = {{"hidden", "(system)"},
                 {"code", "(compiled code)"},
                 {"closure", "Function"},
                 {"regexp", "RegExp"}};
  snapshot->node_types = memory_zeroed(layout->type_count, sizeof *snapshot->node_types);
  for (uint32_t i = 0; i < layout->type_count; i++) {
    const char *type = layout->types[i];
    char class[LAYOUT_NAME_BYTES + 2];
    snprintf(class, sizeof class, "(%s)", type);
    for (size_t k = 0; k < sizeof classes / sizeof classes[0]; k++)
      if (strcmp(type, classes[k].type) == 0)
        snprintf(class, sizeof class, "%s", classes[k].class);
    bool is_synthetic = strcmp(type, "synthetic") == 0;
    bool is_named = is_synthetic || strcmp(type, "object") == 0 || strcmp(type, "native") == 0;
    snapshot->node_types[i].is_synthetic = is_synthetic;
    snapshot->node_types[i].class =
        is_named ? NO_NUMBER : strings_intern(&snapshot->strings, class);
  }
}

struct reader {
  struct document document;
  yajl_handle parser;
  uint64_t position; /* the current chunk's */
  struct spgc_error error;
};

/* The parser's message has several lines. The first names the mistake, the others quote the
 * text. */
static void take_parser_error(struct reader *reader, const unsigned char *chunk, size_t size) {
  unsigned char *text = yajl_get_error(reader->parser, 0, chunk, size);
  const char *message = text != NULL ? (const char *)text : "error";
  refuse(&reader->error, "not JSON: %.*s", (int)strcspn(message, "\n"), message);
  yajl_free_error(reader->parser, text);
}

static enum spgc_result parse(struct reader *reader, const unsigned char *chunk, size_t size) {
  yajl_status status = yajl_parse(reader->parser, chunk, size);
  uint64_t position = reader->position + yajl_get_bytes_consumed(reader->parser);
  if (status == yajl_status_ok)
    return reader->position += size, SPGC_OK;
  if (status == yajl_status_error)
    take_parser_error(reader, chunk, size);
  reader->error.position = position;
  return SPGC_ERROR_MALFORMED;
}

static enum spgc_result finish(struct reader *reader) {
  struct document *document = &reader->document;
  if (reader->position == 0)
    return refuse(&reader->error, "the file is empty");
  if (yajl_complete_parse(reader->parser) != yajl_status_ok) {
    if (reader->error.code == SPGC_OK)
      refuse(&reader->error, "the file is cut short");
    reader->error.position = reader->position;
    return SPGC_ERROR_MALFORMED;
  }
  enum spgc_result result = check_counts(document);
  if (result == SPGC_OK)
    result = resolve_strings(document->snapshot, &reader->error);
  if (result == SPGC_OK)
    name_classes(document->snapshot, &document->layout.nodes);
  return result;
}

static enum spgc_result read_file(struct reader *reader, int descriptor) {
  static unsigned char chunk[CHUNK_BYTES];
  for (;;) {
    ssize_t size = read(descriptor, chunk, sizeof chunk);
    if (size < 0 && errno == EINTR)
      continue;
    if (size < 0)
      return spgc_error_set(&reader->error, SPGC_ERROR_SYSTEM, 0, "%s", strerror(errno));
    if (size == 0)
      return finish(reader);
    static const unsigned char gzip[] = {0x1F, 0x8B};
    if (reader->position == 0 && size >= 2 && memcmp(chunk, gzip, sizeof gzip) == 0)
      return refuse(&reader->error, "compressed by gzip: decompress it first (gunzip)");
    enum spgc_result result = parse(reader, chunk, (size_t)size);
    if (result != SPGC_OK)
      return result;
  }
}

/* The parser does not check for NULL. */
static void *parser_allocate(void *context, size_t size) {
  return memory_array(size, 1);
}

static void *parser_resize(void *context, void *memory, size_t size) {
  return memory_resized(memory, size, 1);
}

static void parser_free(void *context, void *memory) {
  free(memory);
}

bool snapshot_read(struct snapshot *snapshot, const char *path) {
  *snapshot = (struct snapshot){0};
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return report(path, "%s", strerror(errno)), false;
  struct reader reader = {.document = {.snapshot = snapshot}};
  yajl_alloc_funcs memory = {parser_allocate, parser_resize, parser_free, NULL};
  reader.document.error = &reader.error;
  reader.parser = yajl_alloc(&document_callbacks, &memory, &reader.document);
  enum spgc_result result = read_file(&reader, descriptor);
  yajl_free(reader.parser);
  close(descriptor);
  if (result != SPGC_OK && reader.error.position == 0) /* the error is not about a byte */
    report(path, "%s", reader.error.message);
  else if (result != SPGC_OK)
    report(path, "byte %" PRIu64 ": %s", reader.error.position, reader.error.message);
  return result == SPGC_OK;
}

void snapshot_free(struct snapshot *snapshot) {
  free(snapshot->types);
  free(snapshot->names);
  free(snapshot->ids);
  free(snapshot->sizes);
  free(snapshot->first_edges);
  free(snapshot->kinds);
  free(snapshot->labels);
  free(snapshot->targets);
  free(snapshot->node_types);
  strings_free(&snapshot->strings);
}
