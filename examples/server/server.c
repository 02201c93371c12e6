/* Threads answer requests from a shared cache, which holds its documents weakly: unused ones
 * disappear at the next collection that finds them dead. Plain C, with handles.
 *
 *   server THREADS REQUESTS      requests for each thread */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spgc/allocate.h"
#include "spgc/handle.h"
#include "spgc/heap.h"
#include "spgc/main.h"
#include "spgc/weak.h"

enum { KEYS = 64, RECENT = 8, MOST_THREADS = 16 };

struct document {
  const struct spgc_type *type;
  uint64_t length;
  unsigned char bytes[];
};
static const struct spgc_type document_type = {.size = sizeof(struct document),
                                               .element_size = 1,
                                               .flags = SPGC_TYPE_TAIL,
                                               .name = "document"};

/* The descriptor does not list the documents, so they are not kept alive; spgc_weak_bind makes
 * these words weak fields. */
struct cache {
  const struct spgc_type *type;
  struct spgc_ref documents[KEYS];
};
static const struct spgc_type cache_type = {.size = sizeof(struct cache), .name = "cache"};

/* Keeps the documents that a thread used last alive. */
struct recent {
  const struct spgc_type *type;
  struct spgc_ref documents[RECENT];
};
static const struct spgc_type recent_type = {
    .size = sizeof(struct recent), .flags = SPGC_TYPE_VALUES, .name = "recent"};

static struct spgc_handle cache; /* global: all threads use it */
static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long hits, misses;
static long requests;

__attribute__((noreturn)) static void fail(const char *message) {
  fprintf(stderr, "server: %s\n", message);
  exit(EXIT_FAILURE);
}

static void require(enum spgc_result result, const struct spgc_error *error) {
  if (result != SPGC_OK)
    fail(error->message);
}

static void *wait_for_lock(void *unused) {
  pthread_mutex_lock(&cache_lock);
  return unused;
}

/* A thread that waits for the lock delays no collection. One that has it reaches no safepoint, so
 * the others get it soon. A safepoint. */
static void lock_cache(void) {
  if (pthread_mutex_trylock(&cache_lock) != 0)
    spgc_call_blocking(wait_for_lock, NULL);
}

static uint32_t place_of(long key) {
  return (uint32_t)(offsetof(struct cache, documents) + (size_t)key * sizeof(struct spgc_ref));
}

/* An allocation from C returns null when memory is exhausted. */
static struct spgc_ref required(struct spgc_ref made) {
  if (spgc_ref_is_null(made))
    fail("out of memory");
  return made;
}

static struct spgc_ref make_document(long key) {
  uint64_t length = 100 + 10 * (uint64_t)key;
  struct spgc_ref made = required(spgc_allocate_array(&document_type, length));
  memset(((struct document *)spgc_ref_memory(made))->bytes, (int)key, length);
  return made;
}

static void check_document(struct spgc_ref any, long key) {
  const struct document *document = spgc_ref_memory(any);
  if (document->length != 100 + 10 * (uint64_t)key)
    fail("a document has another length");
  for (uint64_t i = 0; i < document->length; i++)
    if (document->bytes[i] != key)
      fail("a document has other bytes");
}

/* A safepoint. Two threads may make one document at once; the cache keeps the later one. */
static struct spgc_ref fetch(long key) {
  lock_cache();
  struct spgc_ref found = spgc_weak_get(spgc_handle_get(cache), place_of(key));
  pthread_mutex_unlock(&cache_lock);
  if (!spgc_ref_is_null(found)) {
    hits++;
    return found;
  }
  misses++;
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle made = spgc_handle_make(make_document(key));
  struct spgc_error error;
  lock_cache();
  require(spgc_weak_bind(spgc_handle_get(cache), place_of(key), spgc_handle_get(made), &error),
          &error);
  pthread_mutex_unlock(&cache_lock);
  struct spgc_ref document = spgc_handle_get(made);
  spgc_scope_close(scope);
  return document;
}

/* Some keys are requested more often than others. */
static long next_key(unsigned *seed) {
  long a = rand_r(seed) % KEYS, b = rand_r(seed) % KEYS;
  return a * b / KEYS;
}

static void answer(unsigned seed) {
  struct spgc_scope scope = spgc_scope_open();
  struct spgc_handle recent = spgc_handle_make(required(spgc_allocate(&recent_type)));
  for (long i = 0; i < requests; i++) {
    long key = next_key(&seed);
    struct spgc_ref document = fetch(key);
    check_document(document, key);
    struct recent *memory = spgc_ref_memory(spgc_handle_get(recent));
    spgc_store(spgc_slot_at(&memory->documents[i % RECENT]), document);
  }
  spgc_scope_close(scope);
}

static void *worker(void *seed) {
  struct spgc_error error;
  require(spgc_thread_attach(__builtin_frame_address(0), &error), &error);
  answer(*(unsigned *)seed);
  spgc_thread_detach();
  return NULL;
}

static void *wait_for_thread(void *thread) {
  pthread_join(*(pthread_t *)thread, NULL);
  return NULL;
}

static void serve(long count) {
  pthread_t threads[MOST_THREADS];
  unsigned seeds[MOST_THREADS];
  for (long i = 0; i < count; i++) {
    seeds[i] = (unsigned)i + 1;
    if (pthread_create(&threads[i], NULL, worker, &seeds[i]) != 0)
      fail("no thread could be started");
  }
  for (long i = 0; i < count; i++)
    spgc_call_blocking(wait_for_thread, &threads[i]);
}

static void program(void *count) {
  struct spgc_statistics statistics;
  long kept = 0;
  cache = spgc_global_handle_make(required(spgc_allocate(&cache_type)));
  serve(*(long *)count);
  spgc_collect(SPGC_COLLECTION_FULL); /* the threads have ended: nobody uses a document */
  for (long key = 0; key < KEYS; key++)
    kept += !spgc_ref_is_null(spgc_weak_get(spgc_handle_get(cache), place_of(key)));
  spgc_statistics_read(&statistics);
  spgc_global_handle_release(cache);
  if (kept != 0)
    fail("the cache keeps documents alive");
  if (hits + misses != *(long *)count * requests || hits == 0 || misses == 0)
    fail("requests are missing");
  if (statistics.collections == 0)
    fail("nothing was collected");
}

int main(int argc, char **argv) {
  long count = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
  struct spgc_error error;
  requests = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
  if (count < 1 || count > MOST_THREADS || requests < 100)
    fail("usage: server THREADS REQUESTS, at most 16 and at least 100");
  require(spgc_main(NULL, program, &count, &error), &error);
  printf("%ld requests, all answered; the cache is empty again\n", count * requests);
}
