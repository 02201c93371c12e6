#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/heap/command.h"
#include "tools/heap/holders.h"
#include "tools/heap/memory.h"
#include "tools/heap/print.h"

enum { DEFAULT_PATHS = 3 };

struct wanted {
  const char *text;
  bool is_id;
  uint32_t number; /* the ID, or the class */
};

static bool is_wanted(const struct snapshot *snapshot, uint32_t node, const void *context) {
  const struct wanted *wanted = context;
  return wanted->is_id ? snapshot->ids[node] == wanted->number
                       : node_class(snapshot, node) == wanted->number;
}

static bool find_wanted(struct wanted *wanted, const struct snapshot *snapshot, const char *text) {
  wanted->text = text;
  wanted->is_id =
      text[0] == '@' && text[1] != '\0' && text[1 + strspn(text + 1, "0123456789")] == 0;
  if (wanted->is_id) {
    unsigned long long id = strtoull(text + 1, NULL, 10);
    wanted->number = id < NO_NUMBER ? (uint32_t)id : NO_NUMBER; /* no node has this ID */
  } else {
    wanted->number = strings_find(&snapshot->strings, text);
  }
  for (uint32_t node = 0; node < snapshot->node_count; node++)
    if (is_wanted(snapshot, node, wanted))
      return true;
  return false;
}

struct path {
  uint32_t length; /* number of edges; there is one more node */
  uint32_t *nodes, *edges, *patterns;
};

static void path_find(struct path *path, const struct snapshot *snapshot, const struct reach *reach,
                      const struct patterns *patterns, const struct holder *holder) {
  path->length = 1;
  for (uint32_t node = holder->source; node != 0; node = reach->parents[node])
    path->length++;
  path->nodes = memory_array((size_t)path->length + 1, sizeof *path->nodes);
  path->edges = memory_array(path->length, sizeof *path->edges);
  path->patterns = memory_array((size_t)path->length + 1, sizeof *path->patterns);
  uint32_t i = path->length;
  path->nodes[i] = snapshot->targets[holder->edge];
  path->patterns[i] = holder->pattern;
  path->edges[i - 1] = holder->edge;
  for (uint32_t node = holder->source;; node = reach->parents[node]) {
    path->nodes[--i] = node;
    path->patterns[i] = patterns->of_nodes[node];
    if (i == 0)
      return;
    path->edges[i - 1] = reach->edges[node];
  }
}

static void path_free(struct path *path) {
  free(path->nodes);
  free(path->edges);
  free(path->patterns);
}

/* ".name", "+16" without a name, or "[i]". Edges from groups of roots have names such as a frame
 * and its line. */
static void print_label(const struct snapshot *snapshot, uint32_t source, uint32_t edge) {
  if (snapshot->kinds[edge] == EDGE_INDEXED) {
    printf("[%" PRIu32 "]", snapshot->labels[edge]);
    return;
  }
  const char *label = strings_text(&snapshot->strings, snapshot->labels[edge]);
  if (node_is_object(snapshot, source) && label[0] != '+')
    putchar('.');
  strings_print(stdout, label);
}

/* The root's edges to groups of roots repeat or count their names. */
static void print_step(const struct snapshot *snapshot, const struct path *path, uint32_t i) {
  uint32_t source = path->nodes[i], target = path->nodes[i + 1], edge = path->edges[i];
  fputs("  ", stdout);
  if (node_is_object(snapshot, target)) {
    print_label(snapshot, source, edge);
    fputs(" -> ", stdout);
    print_node(snapshot, target);
  } else {
    print_class(snapshot, node_class(snapshot, target));
  }
  putchar('\n');
}

enum { SHORTEST_OMITTED = 4 };

/* A part of the path that ends with the pattern it began with is a repetition: only a long one's
 * first and last node are shown. */
static void print_path(const struct snapshot *snapshot, const struct path *path,
                       const struct patterns *patterns) {
  uint32_t *last = memory_zeroed(patterns->count, sizeof *last);
  for (uint32_t i = 0; i <= path->length; i++)
    last[path->patterns[i]] = i;
  for (uint32_t i = 0; i < path->length; i++) {
    print_step(snapshot, path, i);
    uint32_t end = last[path->patterns[i + 1]];
    if (end < i + 1 + SHORTEST_OMITTED)
      continue;
    printf("  ... %" PRIu32 " more like these\n", end - i - 2);
    i = end - 2;
  }
  free(last);
}

static void print_holders(const struct snapshot *snapshot, const struct reach *reach,
                          const struct patterns *patterns, const struct holders *holders,
                          uint32_t most) {
  for (uint32_t i = 0; i < holders->count && i < most; i++) {
    const struct holder *holder = &holders->all[i];
    struct path path;
    path_find(&path, snapshot, reach, patterns, holder);
    printf("\npath %" PRIu32 " of %" PRIu32 ", to ", i + 1, holders->count);
    print_objects(holder->objects, holder->bytes);
    puts(":");
    print_path(snapshot, &path, patterns);
    path_free(&path);
  }
}

static void print_answer(const struct snapshot *snapshot, const struct wanted *wanted,
                         uint32_t most) {
  struct reach reach;
  struct patterns patterns;
  struct holders holders;
  reach_find(&reach, snapshot);
  patterns_find(&patterns, snapshot, &reach);
  holders_find(&holders, snapshot, &reach, &patterns, is_wanted, wanted);
  strings_print(stdout, wanted->text);
  fputs(": ", stdout);
  print_objects(holders.objects, holders.bytes);
  putchar('\n');
  if (holders.reached_objects < holders.objects)
    print_unheld(holders.objects - holders.reached_objects, holders.bytes - holders.reached_bytes);
  print_holders(snapshot, &reach, &patterns, &holders, most);
  holders_free(&holders);
  patterns_free(&patterns);
  reach_free(&reach);
}

static uint32_t read_options(int count, char **words) {
  enum { OPTION_PATHS = 256 };
  static const struct option options[] = {{"paths", required_argument, NULL, OPTION_PATHS},
                                          {NULL, 0, NULL, 0}};
  uint32_t paths = DEFAULT_PATHS;
  for (int option; (option = getopt_long(count, words, "", options, NULL)) != -1;) {
    if (option != OPTION_PATHS)
      fail_option();
    paths = option_count("--paths", optarg);
  }
  return paths;
}

enum exit_status command_why(int count, char **words) {
  uint32_t paths = read_options(count, words);
  if (count - optind != 2)
    fail_usage("%s needs a FILE, and a TYPE or @ID", words[0]);
  const char *path = words[optind], *text = words[optind + 1];
  struct snapshot snapshot;
  enum exit_status status = EXIT_REFUSED;
  if (snapshot_read(&snapshot, path)) {
    struct wanted wanted;
    status = EXIT_DONE;
    if (find_wanted(&wanted, &snapshot, text))
      print_answer(&snapshot, &wanted, paths);
    else
      status = report(path, wanted.is_id ? "no object has this ID"
                                         : "no object has this type: spgc-heap top lists types");
  }
  snapshot_free(&snapshot);
  return status;
}
