/* hang_main WHAT: prints the library's line about a thread that a stop waits for, in a loop of C
 * (loop), a wait for another thread (join), a read by managed code (managed) or a managed loop
 * without a poll (unpolled); or that never closes a scope (scope). Then the thread continues. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spgc/handle.h"
#include "spgc/heap.h"
#include "spgc/thread.h"

extern atomic_bool stays;
atomic_bool stays;
static atomic_bool told;
static int gate[2]; /* gets a byte when the line was read */
static char line[1024];

static void *read_line(void *descriptor) {
  FILE *file = fdopen(*(int *)descriptor, "r");
  while (fgets(line, sizeof line, file) != NULL && strstr(line, "Why does it hang?") == NULL)
    continue;
  told = true;
  if (write(gate[1], "", 1) != 1)
    abort();
  return NULL;
}

static void *wait_until_told(void *unused) {
  while (!told)
    usleep(1000);
  return unused;
}

__attribute__((noinline, visibility("default"))) void stay_in_a_loop(void);
__attribute__((noinline, visibility("default"))) void stay_in_a_join(void);
__attribute__((noinline, visibility("default"))) void stay_in_a_scope(void);

void stay_in_a_loop(void) {
  stays = true;
  while (!told)
    continue;
}

void stay_in_a_join(void) {
  pthread_t other;
  if (pthread_create(&other, NULL, wait_until_told, NULL) != 0)
    abort();
  stays = true;
  pthread_join(other, NULL);
}

void stay_in_a_scope(void) {
  struct spgc_scope scope = spgc_scope_open();
  while (!told)
    spgc_handle_make(spgc_ref_null());
  spgc_scope_close(scope);
}

int64_t stay_in_managed(int file, char *byte);
int64_t stay_without_polls(atomic_bool *told);

static void *run(void *what) {
  struct spgc_error error;
  if (spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    abort();
  if (strcmp(what, "loop") == 0)
    stay_in_a_loop();
  else if (strcmp(what, "join") == 0)
    stay_in_a_join();
  else if (strcmp(what, "managed") == 0) {
    char byte;
    if (stay_in_managed(gate[0], &byte) != 1)
      abort();
  } else if (strcmp(what, "unpolled") == 0) {
    if (stay_without_polls(&told) != 0)
      abort();
  } else
    stay_in_a_scope();
  spgc_thread_detach();
  return NULL;
}

static pthread_t thread;

static void *start_and_wait_until_it_stays(void *what) {
  if (pthread_create(&thread, NULL, run, what) != 0)
    abort();
  while (!stays && !told)
    usleep(1000);
  return NULL;
}

int main(int count, char **words) {
  int ends[2];
  struct spgc_error error;
  pthread_t reader;
  if (count != 2 || pipe(ends) != 0 || pipe(gate) != 0 || dup2(ends[1], STDERR_FILENO) < 0 ||
      pthread_create(&reader, NULL, read_line, &ends[0]) != 0 ||
      spgc_start(NULL, &error) != SPGC_OK ||
      spgc_thread_attach(__builtin_frame_address(0), &error) != SPGC_OK)
    return EXIT_FAILURE;
  spgc_call_blocking(start_and_wait_until_it_stays, words[1]);
  while (!told)
    spgc_collect(SPGC_COLLECTION_MINOR);
  spgc_thread_detach();
  pthread_join(thread, NULL);
  pthread_join(reader, NULL);
  spgc_stop();
  fputs(line, stdout);
  return EXIT_SUCCESS;
}
