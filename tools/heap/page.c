#include "tools/heap/page.h"

#include <inttypes.h>

enum { MOST_POINTS = 5000, NS_OF_US = 1000, NS_OF_MS = 1000000, NS_OF_S = 1000000000 };

/* Escapes "</script", which would end the element `script`. */
static void write_string(FILE *out, const char *text) {
  putc('"', out);
  for (; *text != '\0'; text++) {
    unsigned char byte = (unsigned char)*text;
    if (byte < ' ' || byte == '"' || byte == '\\' || byte == '<' || byte == 127)
      fprintf(out, "\\u%04x", byte);
    else
      putc(byte, out);
  }
  putc('"', out);
}

static void write_number(FILE *out, const char *name, uint64_t number) {
  fprintf(out, ",\"%s\":%" PRIu64, name, number);
}

/* An exact number of a larger unit. */
static void write_time(FILE *out, uint64_t ns, uint64_t unit) {
  int digits = unit == NS_OF_S ? 9 : 6;
  fprintf(out, "%" PRIu64 ".%0*" PRIu64, ns / unit, digits, ns % unit);
}

static void write_ms(FILE *out, const char *name, uint64_t ns) {
  fprintf(out, ",\"%s\":", name);
  write_time(out, ns, NS_OF_MS);
}

static void write_kinds(FILE *out, const struct run *run) {
  fputs(",\"kinds\":[", out);
  for (int i = 0; i < RUN_KINDS; i++)
    fprintf(out, "%s{\"name\":\"%s\",\"count\":%" PRIu64 "}", i == 0 ? "" : ",", run_kind_names[i],
            run->kinds[i]);
  putc(']', out);
}

static void write_pause(FILE *out, const struct run_pause *pause) {
  putc('[', out);
  write_time(out, pause->begin_ns, NS_OF_S);
  putc(',', out);
  write_time(out, pause->pause_ns, NS_OF_MS);
  putc(',', out);
  write_time(out, pause->stop_ns, NS_OF_MS);
  fprintf(out, ",%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]", (int)pause->kind,
          pause->before, pause->after, pause->live, pause->born_old);
}

/* Only the longest of each group, because browsers are slow with hundreds of thousands. */
static void write_pauses(FILE *out, const struct run *run) {
  size_t grouped = (run->count + MOST_POINTS - 1) / MOST_POINTS;
  write_number(out, "grouped", grouped);
  fputs(",\"pauses\":[", out);
  for (size_t begin = 0; begin < run->count; begin += grouped) {
    const struct run_pause *longest = &run->pauses[begin];
    for (size_t i = begin; i < begin + grouped && i < run->count; i++)
      if (run->pauses[i].pause_ns > longest->pause_ns)
        longest = &run->pauses[i];
    fputs(begin == 0 ? "" : ",", out);
    write_pause(out, longest);
  }
  putc(']', out);
}

static void write_histogram(FILE *out, const struct run *run) {
  int first = 0, last = RUN_BUCKETS - 1;
  while (first < last && run->buckets[first] == 0)
    first++;
  while (last > first && run->buckets[last] == 0)
    last--;
  fputs(",\"histogram\":[", out);
  for (int i = first; i <= last; i++)
    fprintf(out, "%s[%" PRIu64 ",%" PRIu64 "]", i == first ? "" : ",", UINT64_C(1) << i,
            run->buckets[i]);
  putc(']', out);
}

static void write_utilisation(FILE *out, const struct run *run) {
  fputs(",\"utilisation\":[", out);
  for (int i = 0; i < RUN_WINDOWS && run->utilisation[i] >= 0; i++)
    fprintf(out, "%s[%" PRIu32 ",%.6f]", i == 0 ? "" : ",", run_window_ms[i], run->utilisation[i]);
  putc(']', out);
}

static void write_parts(FILE *out, const struct run *run) {
  fputs(",\"parts\":[", out);
  for (int i = 0; i < RUN_PARTS; i++) {
    fprintf(out, "%s[\"%s\",", i == 0 ? "" : ",", run_part_names[i]);
    write_time(out, run->part_ns[i], NS_OF_MS);
    putc(']', out);
  }
  putc(']', out);
}

static void write_types(FILE *out, const struct page_types *types) {
  fputs(",\"types\":{\"file\":", out);
  write_string(out, types->file);
  write_number(out, "objects", types->objects);
  write_number(out, "bytes", types->bytes);
  fputs(",\"rows\":[", out);
  for (size_t i = 0; i < types->count; i++) {
    const struct page_type *type = &types->rows[i];
    fputs(i == 0 ? "{\"name\":" : ",{\"name\":", out);
    write_string(out, type->name);
    write_number(out, "objects", type->objects);
    write_number(out, "self", type->self);
    write_number(out, "retained", type->retained);
    putc('}', out);
  }
  fputs("]}", out);
}

static void write_data(FILE *out, const struct run *run, const char *file,
                       const struct page_types *types) {
  fputs("{\"file\":", out);
  write_string(out, file);
  fputs(",\"seconds\":", out);
  write_time(out, run->ns, NS_OF_S);
  fprintf(out, ",\"is_traced\":%s", run->is_traced ? "true" : "false");
  write_number(out, "lost", run->lost);
  write_number(out, "collections", run->count);
  write_number(out, "peak", run->peak);
  write_ms(out, "p50", run->p50_ns);
  write_ms(out, "p90", run->p90_ns);
  write_ms(out, "p99", run->p99_ns);
  write_ms(out, "longest", run->longest_ns);
  write_ms(out, "sum", run->sum_ns);
  write_ms(out, "stop", run->longest_stop_ns);
  write_kinds(out, run);
  write_pauses(out, run);
  write_histogram(out, run);
  write_utilisation(out, run);
  write_parts(out, run);
  if (types != NULL)
    write_types(out, types);
  putc('}', out);
}

void page_write(FILE *out, const struct run *run, const char *file,
                const struct page_types *types) {
  fwrite(page_head, 1, page_head_bytes, out);
  fwrite(page_chart, 1, page_chart_bytes, out);
  fwrite(page_middle, 1, page_middle_bytes, out);
  write_data(out, run, file, types);
  fwrite(page_tail, 1, page_tail_bytes, out);
}
