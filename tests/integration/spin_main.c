/* spin_main MOVES: collects until objects were moved so often, while another thread is in a loop of generated code that
 * nobody else stops. Ends when the log is written. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spgc/heap.h"
#include "spgc/thread.h"

int64_t spin(int64_t unused);
extern _Atomic int64_t finished;

static atomic_bool spinning;
static int64_t lost = 1;

static void *run(void *unused) {
  struct spgc_error error;
  if (spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    return NULL;
  spinning = true;
  lost = spin(0);
  spgc_thread_detach();
  return NULL;
}

/* Source lines are looked for by a thread of the library's. */
static bool is_named_log(const char *thread) {
  char path[300], name[32] = "";
  snprintf(path, sizeof path, "/proc/self/task/%s/comm", thread);
  FILE *file = fopen(path, "r");
  if (file == NULL)
    return false;
  bool read = fgets(name, sizeof name, file) != NULL;
  fclose(file);
  return read && strcmp(name, "spgc-log\n") == 0;
}

static bool log_is_written(void) {
  bool written = true;
  DIR *threads = opendir("/proc/self/task");
  if (threads == NULL)
    return false;
  for (const struct dirent *thread; (thread = readdir(threads)) != NULL;)
    written = written && !is_named_log(thread->d_name);
  closedir(threads);
  return written;
}

static uint64_t moved_objects(void) {
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  return statistics.moved_objects;
}

int main(int count, char **words) {
  struct spgc_error error;
  pthread_t thread;
  if (count != 2 || spgc_start(NULL, &error) != SPGC_OK ||
      spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK ||
      pthread_create(&thread, NULL, run, NULL) != 0)
    return EXIT_FAILURE;
  while (!spinning)
    spgc_collect(SPGC_COLLECTION_FULL);
  while (moved_objects() < (uint64_t)atoi(words[1])) /* however late the loop begins */
    spgc_collect(SPGC_COLLECTION_FULL);
  finished = 1;
  spgc_thread_detach();
  pthread_join(thread, NULL);
  while (!log_is_written())
    sched_yield();
  return lost == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
