#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/heap/classes.h"
#include "tools/heap/command.h"
#include "tools/heap/memory.h"

enum { DEFAULT_COUNT = 20 };

struct summary {
  struct strings strings;
  struct classes classes;
};

static bool summary_read(struct summary *summary, const char *path) {
  struct snapshot snapshot;
  *summary = (struct summary){0};
  bool is_read = snapshot_read(&snapshot, path);
  if (is_read) {
    classes_count(&summary->classes, &snapshot);
    summary->strings = snapshot.strings;
    snapshot.strings = (struct strings){0};
  }
  snapshot_free(&snapshot);
  return is_read;
}

static void summary_free(struct summary *summary) {
  strings_free(&summary->strings);
  classes_free(&summary->classes);
}

struct change {
  const char *name;
  uint32_t before, after; /* objects */
  int64_t bytes;
};

/* Or NULL. `all` is ordered by string number. */
static const struct class_sum *find_class(const struct summary *summary, const char *name) {
  uint32_t class = strings_find(&summary->strings, name), low = 0, high = summary->classes.count;
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;
    if (summary->classes.all[middle].class < class)
      low = middle + 1;
    else
      high = middle;
  }
  bool is_there = low < summary->classes.count && summary->classes.all[low].class == class;
  return is_there ? &summary->classes.all[low] : NULL;
}

static void add_change(struct change *changes, uint32_t *count, const char *name,
                       const struct class_sum *before, const struct class_sum *after) {
  static const struct class_sum none = {0};
  before = before != NULL ? before : &none;
  after = after != NULL ? after : &none;
  if (before->objects != after->objects || before->self != after->self)
    changes[(*count)++] = (struct change){name, before->objects, after->objects,
                                          (int64_t)(after->self - before->self)};
}

static struct change *find_changes(const struct summary *before, const struct summary *after,
                                   uint32_t *count) {
  struct change *changes =
      memory_array((size_t)before->classes.count + after->classes.count, sizeof *changes);
  *count = 0;
  for (uint32_t i = 0; i < after->classes.count; i++) {
    const struct class_sum *sum = &after->classes.all[i];
    const char *name = strings_text(&after->strings, sum->class);
    add_change(changes, count, name, find_class(before, name), sum);
  }
  for (uint32_t i = 0; i < before->classes.count; i++) {
    const struct class_sum *sum = &before->classes.all[i];
    const char *name = strings_text(&before->strings, sum->class);
    if (find_class(after, name) == NULL)
      add_change(changes, count, name, sum, NULL);
  }
  return changes;
}

static int most_grown_first(const void *left, const void *right) {
  const struct change *one = left, *other = right;
  if (one->bytes != other->bytes)
    return one->bytes < other->bytes ? 1 : -1;
  return strcmp(one->name, other->name);
}

static int most_changed_first(const void *left, const void *right) {
  const struct change *one = left, *other = right;
  int64_t one_size = llabs(one->bytes), other_size = llabs(other->bytes);
  if (one_size != other_size)
    return one_size < other_size ? 1 : -1;
  return most_grown_first(left, right);
}

static void print_change(const struct change *change) {
  printf("%+15" PRId64 " %+12" PRId64 " %11" PRIu32 " %11" PRIu32 "  ", change->bytes,
         (int64_t)change->after - change->before, change->before, change->after);
  strings_print(stdout, change->name);
  puts(change->before == 0 ? " (new)" : change->after == 0 ? " (gone)" : "");
}

static void print_diff(const struct summary *before, const struct summary *after, uint32_t most) {
  uint32_t count;
  struct change *changes = find_changes(before, after, &count);
  uint32_t listed = count < most ? count : most;
  qsort(changes, count, sizeof *changes, most_changed_first);
  qsort(changes, listed, sizeof *changes, most_grown_first);
  printf("%" PRIu64 " objects, %" PRIu64 " bytes before; %" PRIu64 " objects, %" PRIu64
         " bytes after\n",
         before->classes.objects, before->classes.bytes, after->classes.objects,
         after->classes.bytes);
  puts("          bytes      objects      before       after  type");
  for (uint32_t i = 0; i < listed; i++)
    print_change(&changes[i]);
  if (listed < count)
    printf("... and %" PRIu32 " more types\n", count - listed);
  free(changes);
}

static uint32_t read_options(int count, char **words) {
  static const struct option long_options[] = {{"count", required_argument, NULL, 'n'},
                                               {NULL, 0, NULL, 0}};
  uint32_t most = DEFAULT_COUNT;
  for (int option; (option = getopt_long(count, words, "n:", long_options, NULL)) != -1;) {
    if (option != 'n')
      fail_option();
    most = option_count("--count", optarg);
  }
  return most;
}

enum exit_status command_diff(int count, char **words) {
  uint32_t most = read_options(count, words);
  if (count - optind != 2)
    fail_usage("%s needs two files, BEFORE and AFTER", words[0]);
  struct summary before, after = {0};
  bool is_read = summary_read(&before, words[optind]) && summary_read(&after, words[optind + 1]);
  if (is_read)
    print_diff(&before, &after, most);
  summary_free(&before);
  summary_free(&after);
  return is_read ? EXIT_DONE : EXIT_REFUSED;
}
