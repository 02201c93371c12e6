#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/heap/run.h"

static const char HEAD[] = "spgc: ";

struct line {
  double at_s, stop_ms, pause_ms;
  uint64_t before_kib, after_kib;
};

static uint64_t ns_of(double number, double unit) {
  enum { LARGEST = 1000000000 };
  return number >= 0 && number < LARGEST ? (uint64_t)llround(number * unit) : 0;
}

/* Or -1. */
static double number_behind(const char *text, const char *label) {
  const char *found = strstr(text, label);
  char *end;
  if (found == NULL)
    return -1;
  double number = strtod(found + strlen(label), &end);
  return end != found + strlen(label) && number >= 0 ? number : -1;
}

/* parts := part { ", " part }; part := name " " milliseconds */
static void read_parts(struct run *run, const char *text) {
  while (text != NULL) {
    size_t length = strcspn(text, " ");
    int part = run_part_named(text, length);
    if (part >= 0)
      run->part_ns[part] += ns_of(strtod(text + length, NULL), 1e6);
    text = strstr(text, ", ");
    text = text != NULL ? text + 2 : NULL;
  }
}

/* kind " collection " number " (" reason ") at " seconds " s: " KiB " KiB -> " KiB " KiB, " ...
 * ", stop " milliseconds " ms, pause " milliseconds " ms: " parts */
static void read_collection(struct run *run, const char *text) {
  const char *word = strstr(text, " collection ");
  int kind = word == NULL ? -1 : run_kind_named(text, (size_t)(word - text));
  double at = number_behind(text, ") at "), before = number_behind(text, " s: "),
         after = number_behind(text, " KiB -> "), stop = number_behind(text, ", stop "),
         pause = number_behind(text, " ms, pause ");
  if (kind < 0 || at < 0 || before < 0 || after < 0 || stop < 0 || pause < 0)
    return;
  struct run_pause read = {.stop_ns = ns_of(stop, 1e6),
                           .pause_ns = ns_of(pause, 1e6),
                           .before = ns_of(before, 1024),
                           .after = ns_of(after, 1024),
                           .kind = (enum run_kind)kind};
  uint64_t begun = ns_of(at, 1e9);
  read.begin_ns = begun > read.stop_ns ? begun - read.stop_ns : 0;
  read.end_ns = begun + read.pause_ns;
  run_add(run, &read);
  const char *parts = strstr(strstr(text, " ms, pause "), " ms: ");
  read_parts(run, parts != NULL ? parts + strlen(" ms: ") : NULL);
}

static void read_line(struct run *run, char *line) {
  if (strncmp(line, HEAD, sizeof HEAD - 1) != 0)
    return;
  const char *text = line + sizeof HEAD - 1;
  if (strncmp(text, "summary: utilisation: ", strlen("summary: utilisation: ")) == 0)
    run_reach(run, ns_of(number_behind(text, "% of "), 1e9));
  else
    read_collection(run, text);
}

const char *run_read_log(struct run *run, struct run_text text) {
  enum { MOST_BYTES = 4096 };
  const char *next = text.bytes, *end = text.bytes + text.size;
  while (next < end) {
    const char *newline = memchr(next, '\n', (size_t)(end - next));
    size_t length = (size_t)((newline != NULL ? newline : end) - next);
    char line[MOST_BYTES];
    snprintf(line, sizeof line, "%.*s", length < MOST_BYTES ? (int)length : 0, next);
    read_line(run, line);
    next += length + 1;
  }
  return NULL;
}
