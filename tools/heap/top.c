#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/heap/classes.h"
#include "tools/heap/command.h"
#include "tools/heap/dominators.h"
#include "tools/heap/memory.h"
#include "tools/heap/print.h"

enum { DEFAULT_COUNT = 20 };

struct top_options {
  bool by_self, objects;
  uint32_t count;
};

struct object_sum {
  uint32_t node;
  uint64_t retained, key;
};

static int order(uint64_t one, uint64_t other, uint32_t first, uint32_t second) {
  return one != other ? (one < other ? 1 : -1) : (first > second) - (first < second);
}

static int by_self(const void *left, const void *right) {
  const struct class_sum *one = left, *other = right;
  return order(one->self, other->self, one->class, other->class);
}

static int by_retained(const void *left, const void *right) {
  const struct class_sum *one = left, *other = right;
  return order(one->retained, other->retained, one->class, other->class);
}

static int by_key(const void *left, const void *right) {
  const struct object_sum *one = left, *other = right;
  return order(one->key, other->key, one->node, other->node);
}

static void print_unlisted(uint32_t count, const struct top_options *options, const char *what) {
  if (count > options->count)
    printf("... and %" PRIu32 " more %s\n", count - options->count, what);
}

static void list_classes(const struct snapshot *snapshot, const struct dominators *dominators,
                         struct classes *classes, const struct top_options *options) {
  if (!options->by_self)
    classes_sum_retained(classes, snapshot, dominators);
  qsort(classes->all, classes->count, sizeof *classes->all,
        options->by_self ? by_self : by_retained);
  fputs("    objects            self", stdout);
  puts(options->by_self ? "  type" : "        retained  type");
  for (uint32_t i = 0; i < classes->count && i < options->count; i++) {
    const struct class_sum *sum = &classes->all[i];
    printf("%11" PRIu32 " %15" PRIu64, sum->objects, sum->self);
    if (!options->by_self)
      printf(" %15" PRIu64, sum->retained);
    fputs("  ", stdout);
    print_class(snapshot, sum->class);
    putchar('\n');
  }
  print_unlisted(classes->count, options, "types");
}

/* Unreached objects have no dominators, and are listed by their own size only. */
static struct object_sum *sum_objects(const struct snapshot *snapshot,
                                      const struct dominators *dominators, bool by_self_size,
                                      uint32_t *count) {
  uint32_t candidates = by_self_size ? snapshot->node_count : dominators->count;
  struct object_sum *all = memory_array(candidates, sizeof *all);
  *count = 0;
  for (uint32_t i = 0; i < candidates; i++) {
    uint32_t node = by_self_size ? i : dominators->nodes[i];
    uint64_t retained = by_self_size ? 0 : dominators->retained[i];
    if (node_is_object(snapshot, node))
      all[(*count)++] =
          (struct object_sum){node, retained, by_self_size ? snapshot->sizes[node] : retained};
  }
  return all;
}

static void list_objects(const struct snapshot *snapshot, const struct dominators *dominators,
                         const struct top_options *options) {
  uint32_t count;
  struct object_sum *all = sum_objects(snapshot, dominators, options->by_self, &count);
  qsort(all, count, sizeof *all, by_key);
  fputs("           self", stdout);
  puts(options->by_self ? "  object" : "        retained  object");
  for (uint32_t i = 0; i < count && i < options->count; i++) {
    printf("%15" PRIu32, snapshot->sizes[all[i].node]);
    if (!options->by_self)
      printf(" %15" PRIu64, all[i].retained);
    fputs("  ", stdout);
    print_node(snapshot, all[i].node);
    putchar('\n');
  }
  print_unlisted(count, options, "objects");
  free(all);
}

static void print_unreached(const struct snapshot *snapshot, const struct dominators *dominators,
                            const struct classes *classes) {
  uint64_t objects = 0, bytes = 0;
  for (uint32_t place = 0; place < dominators->count; place++) {
    uint32_t node = dominators->nodes[place];
    objects += node_is_object(snapshot, node);
    bytes += node_is_object(snapshot, node) ? snapshot->sizes[node] : 0;
  }
  if (objects < classes->objects)
    print_unheld(classes->objects - objects, classes->bytes - bytes);
}

static void print_top(const struct snapshot *snapshot, const struct top_options *options) {
  struct classes classes;
  struct dominators dominators = {0};
  classes_count(&classes, snapshot);
  print_objects(classes.objects, classes.bytes);
  putchar('\n');
  if (!options->by_self) {
    dominators_find(&dominators, snapshot);
    print_unreached(snapshot, &dominators, &classes);
  }
  if (options->objects)
    list_objects(snapshot, &dominators, options);
  else
    list_classes(snapshot, &dominators, &classes, options);
  dominators_free(&dominators);
  classes_free(&classes);
}

static bool reads_by_self(const char *word) {
  if (strcmp(word, "self") != 0 && strcmp(word, "retained") != 0)
    fail_usage("unknown choice --by=%s", word);
  return strcmp(word, "self") == 0;
}

static struct top_options read_options(int count, char **words) {
  enum { OPTION_BY = 256, OPTION_OBJECTS };
  static const struct option long_options[] = {{"by", required_argument, NULL, OPTION_BY},
                                               {"objects", no_argument, NULL, OPTION_OBJECTS},
                                               {"count", required_argument, NULL, 'n'},
                                               {NULL, 0, NULL, 0}};
  struct top_options options = {.count = DEFAULT_COUNT};
  for (int option; (option = getopt_long(count, words, "n:", long_options, NULL)) != -1;) {
    switch (option) {
    case OPTION_BY: options.by_self = reads_by_self(optarg); break;
    case OPTION_OBJECTS: options.objects = true; break;
    case 'n': options.count = option_count("--count", optarg); break;
    default: fail_option();
    }
  }
  return options;
}

enum exit_status command_top(int count, char **words) {
  struct top_options options = read_options(count, words);
  if (count - optind != 1)
    fail_usage("%s needs one FILE", words[0]);
  struct snapshot snapshot;
  bool is_read = snapshot_read(&snapshot, words[optind]);
  if (is_read)
    print_top(&snapshot, &options);
  snapshot_free(&snapshot);
  return is_read ? EXIT_DONE : EXIT_REFUSED;
}
