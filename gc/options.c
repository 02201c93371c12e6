/* options := [ option { "," option } ]       option   := key "=" value
 * log     := level [ ":" path ]
 * profile := path [ ":" size ] [ asked ]     snapshot := path [ asked ]
 * asked   := ":on-signal=" name */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gc/option_paths.h"
#include "gc/option_ranges.h"
#include "gc/option_text.h"
#include "gc/policy/without.h"
#include "observe/profile/profile.h"
#include "observe/signal_request.h"
#include "spgc/heap.h"
#include "support/fatal.h"
#include "support/sized.h"

struct parser {
  const char *text;
  struct spgc_options *options;
  struct spgc_error *error;
};

void spgc_options_initialise(struct spgc_options *options) {
  spgc_require(options != NULL, "spgc_options_default: no options are given");
  const struct spgc_options defaults = {0};
  spgc_sized_write(options, &defaults, sizeof defaults, "spgc_options_default");
}

static enum spgc_result reject(struct parser *parser, struct spgc_span at, const char *wrong) {
  int shown = at.length > 64 ? 64 : (int)at.length;
  return spgc_error_set(parser->error, SPGC_ERROR_INVALID_ARGUMENT,
                        (uint64_t)(at.start - parser->text), "%s: \"%.*s\" at byte %zu", wrong,
                        shown, at.start, (size_t)(at.start - parser->text));
}

static enum spgc_result reject_number(struct parser *parser, struct spgc_span at,
                                      enum spgc_ranged_option option) {
  char range[SPGC_RANGE_TEXT_BYTES];
  spgc_option_range_describe(option, range);
  return reject(parser, at, range);
}

static enum spgc_result parse_limit(struct parser *parser, struct spgc_span value) {
  size_t size;
  if (!spgc_span_size(value, &size))
    return reject(parser, value, "a size takes digits and perhaps k, m or g, as in 48m or 48MiB");
  if (!spgc_option_is_in_range(SPGC_RANGED_LIMIT, size))
    return reject_number(parser, value, SPGC_RANGED_LIMIT);
  parser->options->heap_limit = size;
  return SPGC_OK;
}

static enum spgc_result parse_nursery(struct parser *parser, struct spgc_span value) {
  size_t size;
  if (!spgc_span_size(value, &size))
    return reject(parser, value, "a size takes digits and perhaps k, m or g, as in 48m or 48MiB");
  if (!spgc_option_is_in_range(SPGC_RANGED_NURSERY, size))
    return reject_number(parser, value, SPGC_RANGED_NURSERY);
  parser->options->nursery_size = size;
  return SPGC_OK;
}

static enum spgc_result parse_seed(struct parser *parser, struct spgc_span value) {
  uint64_t seed;
  struct spgc_span rest = value;
  if (!spgc_span_digits(&rest, &seed) || rest.length != 0)
    return reject(parser, value, "a seed is a decimal number of 64 bits");
  parser->options->seed = seed;
  return SPGC_OK;
}

static enum spgc_result parse_threads(struct parser *parser, struct spgc_span value) {
  uint64_t number;
  struct spgc_span rest = value;
  if (!spgc_span_digits(&rest, &number) || rest.length != 0 ||
      !spgc_option_is_in_range(SPGC_RANGED_THREADS, number))
    return reject_number(parser, value, SPGC_RANGED_THREADS);
  parser->options->threads = (uint32_t)number;
  return SPGC_OK;
}

static enum spgc_result parse_growth(struct parser *parser, struct spgc_span value) {
  uint64_t percent = SPGC_GROWTH_TO_LIMIT;
  struct spgc_span rest = value;
  if (!spgc_span_is(value, "limit") &&
      (!spgc_span_digits(&rest, &percent) || rest.length != 0 || percent >= SPGC_GROWTH_TO_LIMIT ||
       !spgc_option_is_in_range(SPGC_RANGED_GROWTH, percent)))
    return reject_number(parser, value, SPGC_RANGED_GROWTH);
  parser->options->growth = (uint32_t)percent;
  return SPGC_OK;
}

static enum spgc_result parse_overhead(struct parser *parser, struct spgc_span value) {
  uint64_t percent = SPGC_OVERHEAD_OFF;
  struct spgc_span rest = value;
  if (!spgc_span_is(value, "off") &&
      (!spgc_span_digits(&rest, &percent) || rest.length != 0 || percent == SPGC_OVERHEAD_OFF ||
       !spgc_option_is_in_range(SPGC_RANGED_OVERHEAD, percent)))
    return reject_number(parser, value, SPGC_RANGED_OVERHEAD);
  parser->options->overhead = percent;
  return SPGC_OK;
}

static enum spgc_result parse_pause(struct parser *parser, struct spgc_span value) {
  uint64_t number;
  struct spgc_span rest = value;
  if (!spgc_span_digits(&rest, &number) || rest.length != 0 || number > UINT32_MAX)
    return reject(parser, value, "pause is a number of microseconds of 32 bits");
  parser->options->pause = (uint32_t)number;
  return SPGC_OK;
}

static enum spgc_result parse_slow_stop(struct parser *parser, struct spgc_span value) {
  uint64_t number = SPGC_SLOW_STOP_ALWAYS;
  struct spgc_span rest = value;
  if (!spgc_span_is(value, "always") &&
      (!spgc_span_digits(&rest, &number) || rest.length != 0 || number >= SPGC_SLOW_STOP_ALWAYS))
    return reject(parser, value, "slow_stop is a number of microseconds of 32 bits, or always");
  parser->options->slow_stop = (uint32_t)number;
  return SPGC_OK;
}

static enum spgc_result parse_hang(struct parser *parser, struct spgc_span value) {
  uint64_t number = SPGC_HANG_OFF;
  struct spgc_span rest = value;
  if (!spgc_span_is(value, "off") &&
      (!spgc_span_digits(&rest, &number) || rest.length != 0 || number == 0 || number > UINT32_MAX))
    return reject(parser, value, "hang is a number of microseconds of 32 bits, from 1, or off");
  parser->options->hang = number;
  return SPGC_OK;
}

static enum spgc_result parse_every_nth(struct parser *parser, struct spgc_span value) {
  uint64_t interval;
  struct spgc_span rest = value;
  if (!spgc_span_digits(&rest, &interval) || rest.length != 0 || interval == 0)
    return reject(parser, value, "stress=every-N takes a number of 64 bits from 1 on");
  parser->options->stress = SPGC_STRESS_EVERY_NTH_ALLOCATION;
  parser->options->stress_interval = interval;
  return SPGC_OK;
}

static enum spgc_result parse_random(struct parser *parser, struct spgc_span value) {
  if (!spgc_span_probability(value, &parser->options->stress_probability))
    return reject(parser, value,
                  "stress=random:P takes a number above 0, at most 1, of at most 9 places");
  parser->options->stress = SPGC_STRESS_RANDOM;
  return SPGC_OK;
}

static enum spgc_result parse_stress(struct parser *parser, struct spgc_span value) {
  struct spgc_span rest = value;
  int chosen = spgc_span_choose(value, (const char *const[]){"none", "every-allocation"}, 2);
  if (chosen < 0 && spgc_span_skip(&rest, "every-"))
    return parse_every_nth(parser, rest);
  if (chosen < 0 && spgc_span_skip(&rest, "random:"))
    return parse_random(parser, rest);
  if (chosen < 0)
    return reject(parser, value, "stress takes none, every-allocation, every-N or random:P");
  parser->options->stress = (enum spgc_stress)chosen;
  return SPGC_OK;
}

static enum spgc_result parse_verify(struct parser *parser, struct spgc_span value) {
  int chosen = spgc_span_choose(value, (const char *const[]){"none", "full"}, 2);
  if (chosen < 0)
    return reject(parser, value, "verify takes none or full");
  parser->options->verify = (enum spgc_verify)chosen;
  return SPGC_OK;
}

static enum spgc_result parse_move(struct parser *parser, struct spgc_span value) {
  int chosen = spgc_span_choose(value, (const char *const[]){"default", "always"}, 2);
  if (chosen < 0)
    return reject(parser, value, "move takes default or always");
  parser->options->move = (enum spgc_move)chosen;
  return SPGC_OK;
}

static enum spgc_result parse_born(struct parser *parser, struct spgc_span value) {
  int chosen = spgc_span_choose(value, (const char *const[]){"default", "old", "random"}, 3);
  if (chosen < 0)
    return reject(parser, value, "born takes default, old or random");
  parser->options->born = (enum spgc_born)chosen;
  return SPGC_OK;
}

static enum spgc_result parse_compact(struct parser *parser, struct spgc_span value) {
  int chosen = spgc_span_choose(value, (const char *const[]){"default", "off", "always"}, 3);
  if (chosen < 0)
    return reject(parser, value, "compact takes default, off or always");
  parser->options->compact = (enum spgc_compact)chosen;
  return SPGC_OK;
}

static enum spgc_result parse_concurrent(struct parser *parser, struct spgc_span value) {
  int chosen = spgc_span_choose(value, (const char *const[]){"default", "off", "on"}, 3);
  if (chosen < 0)
    return reject(parser, value, "concurrent takes default, on or off");
  parser->options->concurrent = (enum spgc_concurrent)chosen;
  return SPGC_OK;
}

static enum spgc_result parse_walk(struct parser *parser, struct spgc_span value) {
  int chosen = spgc_span_choose(value, (const char *const[]){"fast", "unwind", "differential"}, 3);
  if (chosen < 0)
    return reject(parser, value, "walk takes fast, unwind or differential");
  parser->options->walk = (enum spgc_walk)chosen;
  return SPGC_OK;
}

static enum spgc_result parse_poison(struct parser *parser, struct spgc_span value) {
  int chosen = spgc_span_choose(value, (const char *const[]){"off", "on"}, 2);
  if (chosen < 0)
    return reject(parser, value, "poison takes on or off");
  parser->options->poison = chosen == 1;
  return SPGC_OK;
}

static enum spgc_result parse_path(struct parser *parser, struct spgc_span value,
                                   const char **path) {
  if (value.length == 0 || value.length >= PATH_MAX)
    return reject(parser, value, "no name of a file");
  *path = spgc_option_path_keep(value.start, value.length);
  if (*path == NULL)
    return spgc_error_set(parser->error, SPGC_ERROR_NO_MEMORY, 0,
                          "spgc_options_parse: out of memory");
  return SPGC_OK;
}

/* log := level [ ":" path ] */
static enum spgc_result parse_log(struct parser *parser, struct spgc_span value) {
  const char *colon = memchr(value.start, ':', value.length);
  struct spgc_span level = {value.start,
                            colon == NULL ? value.length : (size_t)(colon - value.start)};
  int chosen = spgc_span_choose(level, (const char *const[]){"none", "summary", "gc", "all"}, 4);
  if (chosen < 0)
    return reject(parser, level, "log takes none, summary, gc or all, and perhaps :FILE");
  parser->options->log = (enum spgc_log_level)chosen;
  parser->options->log_file = NULL;
  if (colon == NULL)
    return SPGC_OK;
  struct spgc_span path = {colon + 1, value.length - level.length - 1};
  return parse_path(parser, path, &parser->options->log_file);
}

static enum spgc_result parse_trace(struct parser *parser, struct spgc_span value) {
  return parse_path(parser, value, &parser->options->trace);
}

/* Parses and removes a signal named after the file. */
static enum spgc_result parse_signal(struct parser *parser, struct spgc_span *value, int *signal) {
  struct spgc_span name;
  *signal = 0;
  if (!spgc_span_split(value, ":on-signal=", &name))
    return SPGC_OK;
  *signal = spgc_span_signal(name);
  if (!spgc_signal_can_ask(*signal))
    return reject(parser, name, "on-signal takes a signal that a program can be asked by, as USR2");
  return SPGC_OK;
}

static enum spgc_result parse_snapshot(struct parser *parser, struct spgc_span value) {
  enum spgc_result result = parse_signal(parser, &value, &parser->options->snapshot_signal);
  return result == SPGC_OK ? parse_path(parser, value, &parser->options->snapshot) : result;
}

/* The text after the last colon is a size if it is written as one. */
static enum spgc_result parse_profile(struct parser *parser, struct spgc_span value) {
  enum spgc_result result = parse_signal(parser, &value, &parser->options->profile_signal);
  if (result != SPGC_OK)
    return result;
  const char *colon = memrchr(value.start, ':', value.length);
  size_t bytes = 0;
  if (colon != NULL) {
    struct spgc_span size = {colon + 1, (size_t)(value.start + value.length - colon - 1)};
    if (spgc_span_size(size, &bytes)) {
      value.length = (size_t)(colon - value.start);
      if (bytes == 0 || bytes > SPGC_GREATEST_PROFILE_BYTES)
        return reject(parser, size, "a profile samples every 1 to 1g bytes");
    }
  }
  parser->options->profile_bytes = bytes;
  return parse_path(parser, value, &parser->options->profile);
}

/* names := name { "+" name } */
static enum spgc_result parse_without(struct parser *parser, struct spgc_span value) {
  static const char *const names[] = {"prediction", "sticky-marks", "watermark", "born-old"};
  const char *end = value.start + value.length;
  uint32_t without = 0;
  for (const char *next = value.start; next <= end;) {
    const char *plus = memchr(next, '+', (size_t)(end - next));
    struct spgc_span name = {next, (size_t)((plus != NULL ? plus : end) - next)};
    int chosen = spgc_span_choose(name, names, sizeof names / sizeof *names);
    if (chosen < 0)
      return reject(parser, name, "no mechanism that can be left out");
    without |= UINT32_C(1) << chosen;
    next += name.length + 1;
  }
  parser->options->without = without;
  return SPGC_OK;
}

static const struct {
  const char *key;
  enum spgc_result (*parse)(struct parser *parser, struct spgc_span value);
} options_known[] = {
    {"limit", parse_limit},       {"nursery", parse_nursery},
    {"stress", parse_stress},     {"verify", parse_verify},
    {"move", parse_move},         {"walk", parse_walk},
    {"poison", parse_poison},     {"log", parse_log},
    {"growth", parse_growth},     {"seed", parse_seed},
    {"threads", parse_threads},   {"concurrent", parse_concurrent},
    {"pause", parse_pause},       {"slow_stop", parse_slow_stop},
    {"without", parse_without},   {"trace", parse_trace},
    {"snapshot", parse_snapshot}, {"profile", parse_profile},
    {"hang", parse_hang},         {"born", parse_born},
    {"overhead", parse_overhead}, {"compact", parse_compact},
};

/* Lists the options, as far as the message has room. */
static enum spgc_result reject_unknown(struct parser *parser, struct spgc_span key) {
  enum spgc_result result = reject(parser, key, "unknown option");
  if (parser->error == NULL)
    return result;
  char *message = parser->error->message;
  size_t size = sizeof parser->error->message, used = strlen(message);
  for (size_t i = 0; i < sizeof options_known / sizeof options_known[0] && used < size; i++)
    used += (size_t)snprintf(message + used, size - used, "%s%s", i == 0 ? ". There are: " : ", ",
                             options_known[i].key);
  return result;
}

static enum spgc_result parse_option(struct parser *parser, struct spgc_span option) {
  const char *equals = memchr(option.start, '=', option.length);
  if (equals == NULL)
    return reject(parser, option, "an option has the form key=value");
  struct spgc_span key = {option.start, (size_t)(equals - option.start)};
  struct spgc_span value = {equals + 1, option.length - key.length - 1};
  for (size_t i = 0; i < sizeof options_known / sizeof options_known[0]; i++)
    if (spgc_span_is(key, options_known[i].key))
      return options_known[i].parse(parser, value);
  return reject_unknown(parser, key);
}

enum spgc_result spgc_options_parse(struct spgc_options *options, const char *text,
                                    struct spgc_error *error) {
  spgc_require(options != NULL && text != NULL,
               "spgc_options_parse: no options or no text is given");
  struct spgc_options parsed;
  spgc_options_default(&parsed);
  enum spgc_result result =
      spgc_sized_read(&parsed, sizeof parsed, options, "spgc_options_parse", error);
  if (result != SPGC_OK)
    return result;
  struct parser parser = {text, &parsed, error};
  const char *next = text;
  bool more = *text != '\0';
  while (more) {
    size_t length = strcspn(next, ",");
    result = parse_option(&parser, (struct spgc_span){next, length});
    if (result != SPGC_OK)
      return result;
    more = next[length] == ',';
    next += length + 1;
  }
  if (spgc_sized_loses(options, &parsed, sizeof parsed))
    return spgc_error_set(error, SPGC_ERROR_UNSUPPORTED, 0,
                          "spgc_options_parse: the text sets an option that the program's "
                          "structure of %zu bytes lacks: compile the program again",
                          options->size);
  spgc_sized_write(options, &parsed, sizeof parsed, "spgc_options_parse");
  return SPGC_OK;
}
