#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "support/output_file.h"
#include "tools/heap/classes.h"
#include "tools/heap/command.h"
#include "tools/heap/dominators.h"
#include "tools/heap/memory.h"
#include "tools/heap/page.h"

enum { TYPES = 20 };

struct report_options {
  const char *snapshot, *output;
};

static int by_retained(const void *left, const void *right) {
  const struct page_type *one = left, *other = right;
  return one->retained != other->retained ? (one->retained < other->retained ? 1 : -1)
                                          : strcmp(one->name, other->name);
}

static struct page_types rank_types(const struct snapshot *snapshot, const char *file) {
  struct classes classes;
  struct dominators dominators = {0};
  classes_count(&classes, snapshot);
  dominators_find(&dominators, snapshot);
  classes_sum_retained(&classes, snapshot, &dominators);
  struct page_types types = {.file = file,
                             .objects = classes.objects,
                             .bytes = classes.bytes,
                             .count = classes.count,
                             .rows = memory_array(classes.count, sizeof *types.rows)};
  for (uint32_t i = 0; i < classes.count; i++)
    types.rows[i] =
        (struct page_type){.name = strings_text(&snapshot->strings, classes.all[i].class),
                           .objects = classes.all[i].objects,
                           .self = classes.all[i].self,
                           .retained = classes.all[i].retained};
  qsort(types.rows, types.count, sizeof *types.rows, by_retained);
  if (types.count > TYPES)
    types.count = TYPES;
  dominators_free(&dominators);
  classes_free(&classes);
  return types;
}

static enum exit_status put_page(const struct run *run, const char *file,
                                 const struct page_types *types, const char *destination) {
  char *bytes = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&bytes, &size);
  if (out != NULL)
    page_write(out, run, file, types);
  if (out == NULL || fclose(out) != 0)
    memory_exhausted(size);
  int error = spgc_output_file_put(destination, bytes, size);
  free(bytes);
  return error == 0 ? EXIT_DONE : report(destination, "%s", strerror(error));
}

static enum exit_status make_page(const struct run *run, const char *file,
                                  const struct report_options *options) {
  if (options->snapshot == NULL)
    return put_page(run, file, NULL, options->output);
  struct snapshot snapshot;
  enum exit_status status = EXIT_REFUSED;
  if (snapshot_read(&snapshot, options->snapshot)) {
    struct page_types types = rank_types(&snapshot, options->snapshot);
    status = put_page(run, file, &types, options->output);
    free(types.rows);
  }
  snapshot_free(&snapshot);
  return status;
}

static struct report_options read_options(int count, char **words) {
  enum { OPTION_SNAPSHOT = 256 };
  static const struct option long_options[] = {
      {"snapshot", required_argument, NULL, OPTION_SNAPSHOT},
      {"output", required_argument, NULL, 'o'},
      {NULL, 0, NULL, 0}};
  struct report_options options = {.output = NULL};
  for (int option; (option = getopt_long(count, words, "o:", long_options, NULL)) != -1;) {
    switch (option) {
    case OPTION_SNAPSHOT: options.snapshot = optarg; break;
    case 'o': options.output = optarg; break;
    default: fail_option();
    }
  }
  return options;
}

enum exit_status command_report(int count, char **words) {
  struct report_options options = read_options(count, words);
  if (count - optind != 1)
    fail_usage("%s needs one TRACE or LOG", words[0]);
  if (options.output == NULL)
    fail_usage("%s needs -o PAGE", words[0]);
  spgc_output_file_size_limit_is_error();
  struct run run;
  enum exit_status status =
      run_read(&run, words[optind]) ? make_page(&run, words[optind], &options) : EXIT_REFUSED;
  run_free(&run);
  return status;
}
