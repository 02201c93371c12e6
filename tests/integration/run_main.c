/* run_main N EXPECTED [registers]: runs managed_run(N); checks the result, the heap, that objects
 * moved, that notes lead to registered records, and with `registers` that a saved register was
 * rewritten. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spgc/heap.h"
#include "spgc/main.h"
#include "spgc/module.h"

int64_t managed_run(int64_t n);

static int complain(const char *what, const char *detail) {
  fprintf(stderr, "%s%s%s\n", what, *detail != '\0' ? ": " : "", detail);
  return EXIT_FAILURE;
}

/* Notes and their names are padded to 4 bytes. */
static size_t padded(size_t bytes) {
  return (bytes + 3) & ~(size_t)3;
}

static bool leads_to_record(const struct spgc_module_note *note) {
  const char *place = (const char *)&note->record;
  const struct spgc_module *module = (const void *)(place + note->record);
  return module->version == SPGC_MODULE_VERSION && module->registered != NULL;
}

static void count_notes(const char *at, const char *end, unsigned counts[2]) {
  while (at < end) {
    const struct spgc_module_note *note = (const void *)at;
    if (note->type == SPGC_MODULE_NOTE && note->name_size == sizeof SPGC_MODULE_NOTE_NAME &&
        strcmp(note->name, SPGC_MODULE_NOTE_NAME) == 0) {
      counts[0]++;
      counts[1] += leads_to_record(note);
    }
    at += offsetof(struct spgc_module_note, name) + padded(note->name_size) +
          padded(note->description_size);
  }
}

static int read_program(struct dl_phdr_info *object, size_t size, void *counts) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const char *start = (const char *)object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
    if (object->dlpi_phdr[i].p_type == PT_NOTE && object->dlpi_phdr[i].p_align == 4)
      count_notes(start, start + object->dlpi_phdr[i].p_memsz, counts);
  }
  return 1;
}

static bool notes_lead_to_records(void) {
  unsigned counts[2] = {0};
  dl_iterate_phdr(read_program, counts);
  return counts[0] != 0 && counts[0] == counts[1];
}

static int judge(int64_t result, int64_t expected, bool registers) {
  struct spgc_error error;
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  printf("%ld; %lu collections, %lu objects moved, %lu registers rewritten\n", result,
         statistics.collections, statistics.moved_objects, statistics.registers_rewritten);
  if (result != expected)
    return complain("wrong result", "");
  if (spgc_heap_verify(&error) != SPGC_OK)
    return complain("the heap is broken", error.message);
  if (!notes_lead_to_records())
    return complain("a note leads to no registered record, or there is none", "");
  if (statistics.moved_objects == 0)
    return complain("nothing moved", "");
  if (registers && statistics.registers_rewritten == 0)
    return complain("no register was rewritten", "");
  return EXIT_SUCCESS;
}

struct task {
  char **words;
  bool registers;
  int status;
};

static void run(void *argument) {
  struct task *task = argument;
  int64_t result = managed_run(atol(task->words[1]));
  task->status = judge(result, atol(task->words[2]), task->registers);
}

int main(int count, char **words) {
  if (count < 3)
    return complain("usage", "run_main N EXPECTED [registers]");
  struct task task = {words, count > 3 && strcmp(words[3], "registers") == 0, EXIT_FAILURE};
  struct spgc_error error;
  if (spgc_main(NULL, run, &task, &error) != SPGC_OK)
    return complain("no heap", error.message);
  return task.status;
}
