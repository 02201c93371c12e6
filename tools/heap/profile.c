#include <getopt.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "tools/heap/command.h"
#include "tools/heap/memory.h"
#include "tools/heap/print.h"
#include "tools/heap/profile_file.h"

enum { DEFAULT_COUNT = 20, NAME_BYTES = 512 };

enum per { PER_LINE, PER_FUNCTION, PER_TYPE, PER_COUNT };
static const char *const per_names[PER_COUNT] = {"line", "function", "type"};

struct profile_options {
  enum per per;
  bool by_live;
  uint32_t count;
  regex_t own, hidden; /* functions to skip: the collector's, and --hide */
  bool hides;
};

struct row {
  uint32_t name; /* a string of the table */
  uint64_t values[PROFILE_VALUES];
  uint64_t key; /* for sorting */
};

struct table {
  struct strings names;
  struct row *rows; /* index: the number of the name */
  size_t capacity;
  uint64_t sums[PROFILE_VALUES];
};

static const char *text_of(const struct profile *profile, uint64_t string) {
  return strings_text(&profile->strings, (uint32_t)string);
}

static bool is_hidden(const struct profile_options *options, const char *function) {
  return regexec(&options->own, function, 0, NULL, 0) == 0 ||
         (options->hides && regexec(&options->hidden, function, 0, NULL, 0) == 0);
}

static void name_line(const struct profile *profile, const struct profile_options *options,
                      const struct profile_function *function, uint64_t line,
                      char name[NAME_BYTES]) {
  const char *source = text_of(profile, function->source);
  const char *text = text_of(profile, function->name);
  if (options->per == PER_FUNCTION || *source == '\0')
    snprintf(name, NAME_BYTES, "%s", text);
  else
    snprintf(name, NAME_BYTES, "%s %s:%" PRIu64, text, source, line);
}

/* Code without a name in the profile. */
static void name_address(const struct profile *profile, const struct profile_location *location,
                         char name[NAME_BYTES]) {
  const struct profile_mapping *mapping = profile_mapping_of(profile, location->mapping);
  snprintf(name, NAME_BYTES, "%#" PRIx64 "%s%s", location->address, mapping != NULL ? " " : "",
           mapping != NULL ? text_of(profile, mapping->file) : "");
}

/* False if all its functions are hidden. */
static bool name_location(const struct profile *profile, const struct profile_options *options,
                          const struct profile_location *location, char name[NAME_BYTES]) {
  const struct profile_line *lines = profile->lines.items;
  bool is_named = false;
  for (size_t i = location->lines.first; i < location->lines.first + location->lines.count; i++) {
    const struct profile_function *function = profile_function_of(profile, lines[i].function);
    if (function == NULL)
      continue;
    is_named = true;
    if (is_hidden(options, text_of(profile, function->name)))
      continue;
    name_line(profile, options, function, lines[i].line, name);
    return true;
  }
  if (!is_named)
    name_address(profile, location, name);
  return !is_named;
}

static void name_stack(const struct profile *profile, const struct profile_options *options,
                       const struct profile_sample *sample, char name[NAME_BYTES]) {
  strcpy(name, "(no call)");
  for (size_t i = 0; i < sample->locations.count; i++)
    if (name_location(profile, options, profile_location_of(profile, sample, i), name))
      return;
}

static void name_sample(const struct profile *profile, const struct profile_options *options,
                        const struct profile_sample *sample, char name[NAME_BYTES]) {
  const char *type = profile_label_of(profile, sample, "type");
  if (options->per == PER_TYPE)
    snprintf(name, NAME_BYTES, "%s", type != NULL ? type : "(no type)");
  else
    name_stack(profile, options, sample, name);
}

static struct row *row_of(struct table *table, const char *name) {
  uint32_t before = table->names.count, number = strings_intern(&table->names, name);
  if (number >= table->capacity) {
    table->capacity = memory_growth(number);
    table->rows = memory_resized(table->rows, table->capacity, sizeof *table->rows);
  }
  if (number == before)
    table->rows[number] = (struct row){.name = number};
  return &table->rows[number];
}

static void sum_up(struct table *table, const struct profile *profile,
                   const struct profile_options *options) {
  char name[NAME_BYTES];
  for (size_t i = 0; i < profile->samples.count; i++) {
    const struct profile_sample *sample = profile_sample_at(profile, i);
    name_sample(profile, options, sample, name);
    struct row *row = row_of(table, name);
    for (int value = 0; value < PROFILE_VALUES; value++) {
      uint64_t amount = profile_value_of(profile, sample, (enum profile_value)value);
      row->values[value] += amount;
      table->sums[value] += amount;
    }
    row->key = row->values[options->by_live ? PROFILE_LIVE_BYTES : PROFILE_ALLOCATED_BYTES];
  }
}

static int by_key(const void *left, const void *right) {
  const struct row *one = left, *other = right;
  if (one->key != other->key)
    return one->key < other->key ? 1 : -1;
  return (one->name > other->name) - (one->name < other->name);
}

static void print_head(const struct table *table, const struct profile *profile) {
  print_objects(table->sums[PROFILE_ALLOCATED_OBJECTS], table->sums[PROFILE_ALLOCATED_BYTES]);
  fputs(" allocated; ", stdout);
  print_objects(table->sums[PROFILE_LIVE_OBJECTS], table->sums[PROFILE_LIVE_BYTES]);
  puts(" live");
  if (profile->period > 1)
    printf("estimated: one object in %" PRIu64 " bytes was sampled\n", profile->period);
}

static void print_table(const struct table *table, const struct profile_options *options) {
  uint32_t count = table->names.count;
  if (count != 0)
    qsort(table->rows, count, sizeof *table->rows, by_key);
  printf("\n    objects           bytes        live      live bytes  %s\n",
         per_names[options->per]);
  for (uint32_t i = 0; i < count && i < options->count; i++) {
    const struct row *row = &table->rows[i];
    printf("%11" PRIu64 " %15" PRIu64 " %11" PRIu64 " %15" PRIu64 "  ",
           row->values[PROFILE_ALLOCATED_OBJECTS], row->values[PROFILE_ALLOCATED_BYTES],
           row->values[PROFILE_LIVE_OBJECTS], row->values[PROFILE_LIVE_BYTES]);
    strings_print(stdout, strings_text(&table->names, row->name));
    putchar('\n');
  }
  if (count > options->count)
    printf("... and %" PRIu32 " more\n", count - options->count);
}

static void print_profile(const struct profile *profile, const struct profile_options *options) {
  struct table table = {.rows = NULL};
  sum_up(&table, profile, options);
  print_head(&table, profile);
  print_table(&table, options);
  strings_free(&table.names);
  free(table.rows);
}

static enum per read_per(const char *word) {
  for (int per = 0; per < PER_COUNT; per++)
    if (strcmp(word, per_names[per]) == 0)
      return (enum per)per;
  fail_usage("unknown choice --per=%s", word);
}

static void compile(regex_t *pattern, const char *text) {
  if (regcomp(pattern, text, REG_EXTENDED | REG_NOSUB) != 0)
    fail_usage("--hide=%s is not a regular expression", text);
}

static void read_options(struct profile_options *options, int count, char **words) {
  enum { OPTION_PER = 256, OPTION_LIVE, OPTION_HIDE };
  static const struct option long_options[] = {{"per", required_argument, NULL, OPTION_PER},
                                               {"live", no_argument, NULL, OPTION_LIVE},
                                               {"hide", required_argument, NULL, OPTION_HIDE},
                                               {"count", required_argument, NULL, 'n'},
                                               {NULL, 0, NULL, 0}};
  const char *hidden = NULL;
  *options = (struct profile_options){.count = DEFAULT_COUNT};
  for (int option; (option = getopt_long(count, words, "n:", long_options, NULL)) != -1;) {
    switch (option) {
    case OPTION_PER: options->per = read_per(optarg); break;
    case OPTION_LIVE: options->by_live = true; break;
    case OPTION_HIDE: hidden = optarg; break;
    case 'n': options->count = option_count("--count", optarg); break;
    default: fail_option();
    }
  }
  options->hides = hidden != NULL;
  compile(&options->own, "^spgc_");
  if (hidden != NULL)
    compile(&options->hidden, hidden);
}

enum exit_status command_profile(int count, char **words) {
  struct profile_options options;
  struct profile profile;
  read_options(&options, count, words);
  if (count - optind != 1)
    fail_usage("%s needs one FILE", words[0]);
  bool is_read = profile_read(&profile, words[optind]);
  if (is_read)
    print_profile(&profile, &options);
  profile_free(&profile);
  regfree(&options.own);
  if (options.hides)
    regfree(&options.hidden);
  return is_read ? EXIT_DONE : EXIT_REFUSED;
}
