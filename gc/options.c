/* options := [ option { "," option } ]       option   := key "=" value
 * log     := level [ ":" path ]
 * profile := path [ ":" size ] [ asked ]     snapshot := path [ asked ]
 * asked   := ":on-signal=" name */
#include "gc/start.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "gc/policy/limit.h"
#include "gc/policy/pacer.h"
#include "observe/profile/profile.h"
#include "observe/signal_request.h"
#include "support/fatal.h"
#include "support/sized.h"

/* ---- Words, numbers and sizes ---- */

struct span {
  const char *start;
  size_t length;
};

static bool span_is(struct span span, const char *word) {
  return strlen(word) == span.length && memcmp(span.start, word, span.length) == 0;
}

static bool span_skip(struct span *span, const char *word) {
  size_t length = strlen(word);
  if (span->length < length || memcmp(span->start, word, length) != 0)
    return false;
  span->start += length;
  span->length -= length;
  return true;
}

/* "USR2" or "SIGUSR2"; 0 if unknown. */
static int span_signal(struct span span) {
  span_skip(&span, "SIG");
  for (int signal = 1; signal < NSIG; signal++) {
    const char *name = sigabbrev_np(signal);
    if (name != NULL && span_is(span, name))
      return signal;
  }
  return 0;
}

static bool span_digits(struct span *span, uint64_t *number) {
  size_t used = 0;
  *number = 0;
  for (; used < span->length && span->start[used] >= '0' && span->start[used] <= '9'; used++)
    if (__builtin_mul_overflow(*number, UINT64_C(10), number) ||
        __builtin_add_overflow(*number, (uint64_t)(span->start[used] - '0'), number))
      return false;
  span->start += used;
  span->length -= used;
  return used != 0;
}

/* size := digits [ ( "k" | "m" | "g" ) [ "b" | "ib" ] | "b" ]     in either case: powers of 1024 */
static bool span_size(struct span value, size_t *size) {
  static const char *const units[][4] = {{"", "b", NULL},
                                         {"k", "kb", "kib", NULL},
                                         {"m", "mb", "mib", NULL},
                                         {"g", "gb", "gib", NULL}};
  uint64_t number;
  if (!span_digits(&value, &number))
    return false;
  for (size_t power = 0; power < sizeof units / sizeof *units; power++)
    for (const char *const *unit = units[power]; *unit != NULL; unit++)
      if (strlen(*unit) == value.length && strncasecmp(value.start, *unit, value.length) == 0)
        return !__builtin_mul_overflow(number, UINT64_C(1) << 10 * power, size);
  return false;
}

/* probability := digits [ "." digits ]     above 0, at most 1, with at most 9 decimal places */
static bool span_probability(struct span value, double *probability) {
  enum { MOST_PLACES = 9 };
  uint64_t whole, places = 0, unit = 1;
  if (!span_digits(&value, &whole))
    return false;
  if (span_skip(&value, ".")) {
    size_t length = value.length;
    if (length > MOST_PLACES || !span_digits(&value, &places))
      return false;
    for (size_t i = 0; i < length; i++)
      unit *= 10;
  }
  *probability = (double)whole + (double)places / (double)unit;
  return value.length == 0 && *probability > 0 && *probability <= 1;
}

struct kept {
  struct kept *next;
  char text[];
};

static _Atomic(struct kept *) all; /* only grows, at its front */

static const char *find(const struct kept *from, struct span span) {
  for (; from != NULL; from = from->next)
    if (span_is(span, from->text))
      return from->text;
  return NULL;
}

/* A NUL-terminated copy, kept until the process ends; NULL if out of memory. Equal texts share one,
 * so parsing again takes no memory. Any thread. */
static const char *span_keep(struct span span) {
  struct kept *first = atomic_load(&all);
  const char *found = find(first, span);
  if (found != NULL)
    return found;
  struct kept *kept = malloc(sizeof *kept + span.length + 1);
  if (kept == NULL)
    return NULL;
  memcpy(kept->text, span.start, span.length);
  kept->text[span.length] = '\0';
  kept->next = first;
  while (!atomic_compare_exchange_weak(&all, &kept->next, kept))
    ;
  return kept->text;
}

/* ---- The options ---- */

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

static enum spgc_result reject(struct parser *parser, struct span at, const char *wrong) {
  int shown = at.length > 64 ? 64 : (int)at.length;
  return spgc_error_set(parser->error, SPGC_ERROR_INVALID_ARGUMENT,
                        (uint64_t)(at.start - parser->text), "%s: \"%.*s\" at byte %zu", wrong,
                        shown, at.start, (size_t)(at.start - parser->text));
}

struct option {
  const char *key;
  enum spgc_result (*parse)(struct parser *parser, const struct option *option, struct span value);
  size_t offset, bytes;
  const char *expected;
  const char *words[5]; /* their numbers are the values; or one, for word_value */
  uint64_t word_value;
  uint64_t least, greatest; /* of other numbers */
  bool is_ranged;           /* also checked by spgc_start; 0 is the default */
};

#define MEMBER(name)                                                                               \
  .offset = offsetof(struct spgc_options, name),                                                   \
  .bytes = sizeof((const struct spgc_options *)NULL)->name

static enum spgc_result set(struct parser *parser, const struct option *option, uint64_t value) {
  char *member = (char *)parser->options + option->offset;
  const bool flag = value != 0;
  const uint32_t half = (uint32_t)value;
  switch (option->bytes) {
  case sizeof flag: memcpy(member, &flag, sizeof flag); break;
  case sizeof half: memcpy(member, &half, sizeof half); break;
  default: memcpy(member, &value, sizeof value);
  }
  return SPGC_OK;
}

static bool allows(const struct option *option, uint64_t number) {
  return (option->is_ranged && number == 0) ||
         (number >= option->least && number <= option->greatest);
}

static enum spgc_result parse_size(struct parser *parser, const struct option *option,
                                   struct span value) {
  size_t size;
  if (!span_size(value, &size))
    return reject(parser, value, "a size takes digits and perhaps k, m or g, as in 48m or 48MiB");
  return allows(option, size) ? set(parser, option, size) : reject(parser, value, option->expected);
}

static enum spgc_result parse_number(struct parser *parser, const struct option *option,
                                     struct span value) {
  uint64_t number = option->word_value;
  struct span rest = value;
  if (option->words[0] != NULL && span_is(value, option->words[0]))
    return set(parser, option, number);
  return span_digits(&rest, &number) && rest.length == 0 && allows(option, number)
             ? set(parser, option, number)
             : reject(parser, value, option->expected);
}

/* Or -1. */
static int choose(const struct option *option, struct span value) {
  for (int i = 0; option->words[i] != NULL; i++)
    if (span_is(value, option->words[i]))
      return i;
  return -1;
}

static enum spgc_result parse_word(struct parser *parser, const struct option *option,
                                   struct span value) {
  int chosen = choose(option, value);
  return chosen < 0 ? reject(parser, value, option->expected)
                    : set(parser, option, (uint64_t)chosen);
}

static enum spgc_result parse_stress(struct parser *parser, const struct option *option,
                                     struct span value) {
  struct spgc_options *options = parser->options;
  struct span rest = value, number;
  if (!span_is(value, "every-allocation") && span_skip(&rest, "every-")) {
    number = rest;
    if (!span_digits(&rest, &options->stress_interval) || rest.length != 0 ||
        options->stress_interval == 0)
      return reject(parser, number, "stress=every-N takes a number from 1 to 2^64 - 1");
    options->stress = SPGC_STRESS_EVERY_NTH_ALLOCATION;
    return SPGC_OK;
  }
  if (!span_skip(&rest, "random:"))
    return parse_word(parser, option, value);
  if (!span_probability(rest, &options->stress_probability))
    return reject(
        parser, rest,
        "stress=random:P takes a number above 0 and at most 1, with at most 9 decimal places");
  options->stress = SPGC_STRESS_RANDOM;
  return SPGC_OK;
}

static enum spgc_result parse_path(struct parser *parser, struct span value, const char **path) {
  if (value.length == 0 || value.length >= PATH_MAX)
    return reject(parser, value, "a file's name is missing or too long");
  *path = span_keep(value);
  if (*path == NULL)
    return spgc_error_set(parser->error, SPGC_ERROR_NO_MEMORY, 0,
                          "spgc_options_parse: out of memory");
  return SPGC_OK;
}

static enum spgc_result parse_log(struct parser *parser, const struct option *option,
                                  struct span value) {
  const char *colon = memchr(value.start, ':', value.length);
  struct span level = {value.start, colon == NULL ? value.length : (size_t)(colon - value.start)};
  enum spgc_result result = parse_word(parser, option, level);
  if (result != SPGC_OK)
    return result;
  parser->options->log_file = NULL;
  if (colon == NULL)
    return SPGC_OK;
  struct span path = {colon + 1, value.length - level.length - 1};
  return parse_path(parser, path, &parser->options->log_file);
}

static enum spgc_result parse_trace(struct parser *parser, const struct option *option,
                                    struct span value) {
  return parse_path(parser, value, &parser->options->trace);
}

static enum spgc_result parse_signal(struct parser *parser, struct span *value, int *signal) {
  static const char asked[] = ":on-signal=";
  const char *end = value->start + value->length,
             *at = memmem(value->start, value->length, asked, strlen(asked));
  *signal = 0;
  if (at == NULL)
    return SPGC_OK;
  struct span name = {at + strlen(asked), (size_t)(end - at) - strlen(asked)};
  value->length = (size_t)(at - value->start);
  *signal = span_signal(name);
  if (!spgc_signal_can_ask(*signal))
    return reject(parser, name,
                  "on-signal takes the name of a signal that a program can catch, such as USR2");
  return SPGC_OK;
}

static enum spgc_result parse_snapshot(struct parser *parser, const struct option *option,
                                       struct span value) {
  enum spgc_result result = parse_signal(parser, &value, &parser->options->snapshot_signal);
  return result == SPGC_OK ? parse_path(parser, value, &parser->options->snapshot) : result;
}

/* The size follows the last colon, if it is one. */
static enum spgc_result parse_profile(struct parser *parser, const struct option *option,
                                      struct span value) {
  enum spgc_result result = parse_signal(parser, &value, &parser->options->profile_signal);
  if (result != SPGC_OK)
    return result;
  const char *colon = memrchr(value.start, ':', value.length);
  size_t bytes = 0;
  if (colon != NULL) {
    struct span size = {colon + 1, (size_t)(value.start + value.length - colon - 1)};
    if (span_size(size, &bytes)) {
      value.length = (size_t)(colon - value.start);
      if (bytes == 0 || bytes > SPGC_GREATEST_PROFILE_BYTES)
        return reject(parser, size, "a profile samples every 1 to 1g bytes");
    }
  }
  parser->options->profile_bytes = bytes;
  return parse_path(parser, value, &parser->options->profile);
}

/* names := name { "+" name } */
static enum spgc_result parse_without(struct parser *parser, const struct option *option,
                                      struct span value) {
  const char *end = value.start + value.length;
  uint32_t without = 0;
  for (const char *next = value.start; next <= end;) {
    const char *plus = memchr(next, '+', (size_t)(end - next));
    struct span name = {next, (size_t)((plus != NULL ? plus : end) - next)};
    int chosen = choose(option, name);
    if (chosen < 0)
      return reject(parser, name, option->expected);
    without |= UINT32_C(1) << chosen;
    next += name.length + 1;
  }
  parser->options->without = without;
  return SPGC_OK;
}

_Static_assert(SPGC_LEAST_LIMIT == 2 << 20 && SPGC_GREATEST_LIMIT == (size_t)16384 << 30 &&
                   SPGC_BLOCK_BYTES == 32 << 10 && SPGC_GREATEST_GROWTH == 10000 &&
                   SPGC_MOST_WORKERS == 16,
               "the words of the ranges below");

static const struct option options_known[] = {
    {"limit", parse_size, MEMBER(heap_limit), .is_ranged = true, .least = SPGC_LEAST_LIMIT,
     .greatest = SPGC_GREATEST_LIMIT, .expected = "a heap limit is 0 or from 2m to 16384g"},
    {"nursery", parse_size, MEMBER(nursery_size), .is_ranged = true, .least = SPGC_BLOCK_BYTES,
     .greatest = SPGC_GREATEST_LIMIT,
     .expected = "a nursery is 0 or from 32k to the limit, at most 16384g"},
    {"stress", parse_stress, MEMBER(stress), .words = {"none", "every-allocation"},
     .expected = "stress takes none, every-allocation, every-N or random:P"},
    {"verify", parse_word, MEMBER(verify), .words = {"none", "full"},
     .expected = "verify takes none or full"},
    {"move", parse_word, MEMBER(move), .words = {"default", "always"},
     .expected = "move takes default or always"},
    {"walk", parse_word, MEMBER(walk), .words = {"fast", "unwind", "differential"},
     .expected = "walk takes fast, unwind or differential"},
    {"poison", parse_word, MEMBER(poison), .words = {"off", "on"},
     .expected = "poison takes on or off"},
    {"log", parse_log, MEMBER(log), .words = {"none", "summary", "gc", "all"},
     .expected = "log takes none, summary, gc or all, and perhaps :FILE"},
    {"growth", parse_number, MEMBER(growth), .words = {"limit"}, .word_value = SPGC_GROWTH_TO_LIMIT,
     .is_ranged = true, .least = 1, .greatest = SPGC_GREATEST_GROWTH,
     .expected = "growth is 0 or from 1 to 10000 percent, or limit"},
    {"seed", parse_number, MEMBER(seed), .greatest = UINT64_MAX,
     .expected = "a seed is a decimal number of at most 2^64 - 1"},
    {"threads", parse_number, MEMBER(threads), .is_ranged = true, .least = 1,
     .greatest = SPGC_MOST_WORKERS, .expected = "threads is 0 or from 1 to 16"},
    {"concurrent", parse_word, MEMBER(concurrent), .words = {"default", "off", "on"},
     .expected = "concurrent takes default, on or off"},
    {"pause", parse_number, MEMBER(pause_us), .greatest = UINT32_MAX,
     .expected = "pause is at most 2^32 - 1 microseconds"},
    {"slow_stop", parse_number, MEMBER(slow_stop_us), .words = {"always"},
     .word_value = SPGC_SLOW_STOP_ALWAYS, .greatest = SPGC_SLOW_STOP_ALWAYS - 1,
     .expected = "slow_stop is at most 2^32 - 2 microseconds, or always"},
    {"without", parse_without, .words = {"prediction", "sticky-marks", "watermark", "born-old"},
     .expected = "no mechanism that can be left out"},
    {"trace", .parse = parse_trace},
    {"snapshot", .parse = parse_snapshot},
    {"profile", .parse = parse_profile},
    {"hang", parse_number, MEMBER(hang_us), .words = {"off"}, .word_value = SPGC_HANG_OFF,
     .least = 1, .greatest = SPGC_HANG_OFF - 1,
     .expected = "hang is 1 to 2^32 - 2 microseconds, or off"},
    {"born", parse_word, MEMBER(born), .words = {"default", "old", "random"},
     .expected = "born takes default, old or random"},
    {"overhead", parse_number, MEMBER(overhead), .words = {"off"}, .word_value = SPGC_OVERHEAD_OFF,
     .is_ranged = true, .least = 1, .greatest = 100,
     .expected = "overhead is 0 or from 1 to 100 percent, or off"},
    {"compact", parse_word, MEMBER(compact), .words = {"default", "off", "always"},
     .expected = "compact takes default, off or always"},
};

enum spgc_result spgc_options_check_ranges(const struct spgc_options *options,
                                           struct spgc_error *error) {
  for (size_t i = 0; i < sizeof options_known / sizeof options_known[0]; i++) {
    const struct option *option = &options_known[i];
    if (!option->is_ranged)
      continue;
    const void *member = (const char *)options + option->offset;
    uint64_t value =
        option->bytes == sizeof(uint32_t) ? *(const uint32_t *)member : *(const uint64_t *)member;
    bool is_word = option->words[0] != NULL && value == option->word_value;
    if (!is_word && !allows(option, value))
      return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0,
                            "spgc_start: an option has the value %" PRIu64 ", but %s", value,
                            option->expected);
  }
  return SPGC_OK;
}

static enum spgc_result reject_unknown(struct parser *parser, struct span key) {
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

static enum spgc_result parse_option(struct parser *parser, struct span option) {
  const char *equals = memchr(option.start, '=', option.length);
  if (equals == NULL)
    return reject(parser, option, "an option has the form key=value");
  struct span key = {option.start, (size_t)(equals - option.start)};
  struct span value = {equals + 1, option.length - key.length - 1};
  for (size_t i = 0; i < sizeof options_known / sizeof options_known[0]; i++)
    if (span_is(key, options_known[i].key))
      return options_known[i].parse(parser, &options_known[i], value);
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
    result = parse_option(&parser, (struct span){next, length});
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

enum spgc_result spgc_options_read_environment(struct spgc_options *options,
                                               struct spgc_error *error) {
  const char *text = secure_getenv("SPGC_OPTIONS");
  if (text == NULL)
    return SPGC_OK;
  struct spgc_error inner = {0};
  enum spgc_result result = spgc_options_parse(options, text, &inner);
  return result == SPGC_OK
             ? SPGC_OK
             : spgc_error_set(error, result, inner.position, "SPGC_OPTIONS: %.400s", inner.message);
}
