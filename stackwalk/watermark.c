#include "stackwalk/watermark.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

#include "stackwalk/shadow_stack.h"
#include "support/fatal.h"

enum { WATERMARKS = RETURN_BARRIERS / WATERMARK_STUBS, WORD_BITS = 64 };

_Static_assert(WATERMARKS % WORD_BITS == 0, "watermarks fill words");
_Static_assert(WATERMARK_STUBS == 32, "one bit of free_stubs for each");

/* Accessed under the lock. */
static uint64_t taken[WATERMARKS / WORD_BITS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void spgc_watermarks_lock(void) {
  pthread_mutex_lock(&lock);
}

void spgc_watermarks_unlock(void) {
  pthread_mutex_unlock(&lock);
}

/* WATERMARKS if none is left. */
static unsigned take_run(void) {
  unsigned run = WATERMARKS;
  spgc_watermarks_lock();
  for (unsigned i = 0; i < WATERMARKS / WORD_BITS && run == WATERMARKS; i++)
    if (taken[i] != UINT64_MAX) {
      unsigned bit = (unsigned)__builtin_ctzll(~taken[i]);
      taken[i] |= UINT64_C(1) << bit;
      run = i * WORD_BITS + bit;
    }
  spgc_watermarks_unlock();
  return run;
}

static void give_run_back(unsigned run) {
  spgc_watermarks_lock();
  taken[run / WORD_BITS] &= ~(UINT64_C(1) << run % WORD_BITS);
  spgc_watermarks_unlock();
}

struct spgc_watermark *spgc_watermark_create(void) {
  if (spgc_shadow_stack_is_on())
    return NULL;
  struct spgc_watermark *watermark = malloc(sizeof *watermark);
  unsigned run = watermark != NULL ? take_run() : WATERMARKS;
  if (run == WATERMARKS) {
    free(watermark);
    return NULL;
  }
  watermark->first_stub = run * WATERMARK_STUBS;
  watermark->variables =
      (struct stack_variables){.capacity = WATERMARK_VARIABLES, .runs = watermark->variable_runs};
  spgc_watermark_reset(watermark);
  return watermark;
}

void spgc_watermark_destroy(struct spgc_watermark *watermark) {
  if (watermark == NULL)
    return;
  give_run_back(watermark->first_stub / WATERMARK_STUBS);
  free(watermark);
}

void spgc_watermark_reset(struct spgc_watermark *watermark) {
  watermark->count = 0;
  watermark->free_stubs = UINT32_MAX;
}

static void release_stub(struct spgc_watermark *watermark, unsigned stub) {
  watermark->free_stubs |= UINT32_C(1) << (stub - watermark->first_stub);
}

static void forget_youngest(struct spgc_watermark *watermark) {
  release_stub(watermark, watermark->barriers[--watermark->count].stub);
}

bool spgc_watermark_is_reached(struct spgc_watermark *watermark, struct return_address stub,
                               struct stack_address place) {
  unsigned number = return_barrier_of(stub);
  if (number - watermark->first_stub >= WATERMARK_STUBS)
    return false;
  while (watermark->count != 0 && watermark->barriers[watermark->count - 1].stub != number)
    forget_youngest(watermark);
  spgc_require(watermark->count != 0,
               "the return address at 0x%" PRIxPTR " is a barrier's that is not set", place.word);
  watermark->barriers[watermark->count - 1].place = place;
  return true;
}

struct stack_address spgc_watermark_place(const struct spgc_watermark *watermark) {
  return watermark->barriers[watermark->count - 1].place;
}

static uintptr_t *word_at(struct stack_address place) {
  return (uintptr_t *)place.word;
}

/* The barrier whose removal widens the gap around it least, in proportion to its distance from
 * `top`; never the youngest, nor the oldest, because all frames beyond it would be visited
 * again. */
static unsigned most_dispensable(const struct spgc_watermark *watermark, struct stack_address top) {
  unsigned chosen = 0;
  double least = 0;
  for (unsigned i = 1; i + 1 < watermark->count; i++) {
    double older = (double)(watermark->barriers[i - 1].place.word - top.word);
    double younger = (double)(watermark->barriers[i + 1].place.word - top.word);
    if (chosen == 0 || older / younger < least) {
      chosen = i;
      least = older / younger;
    }
  }
  return chosen;
}

/* If the place holds another word, the frame was left. Otherwise it may have been left too; then
 * writing the dead word does no harm, but it may be between another frame's variables, so
 * AddressSanitizer must not check it. */
__attribute__((no_sanitize("address"))) static void remove_barrier(struct spgc_watermark *watermark,
                                                                   unsigned index) {
  struct barrier removed = watermark->barriers[index];
  struct return_address stub = return_barrier_stub(removed.stub);
  if (*word_at(removed.place) == stub.word)
    *word_at(removed.place) = return_barrier_original(stub).word;
  release_stub(watermark, removed.stub);
  watermark->count--;
  for (unsigned i = index; i < watermark->count; i++)
    watermark->barriers[i] = watermark->barriers[i + 1];
}

void spgc_watermark_thin(struct spgc_watermark *watermark) {
  if (watermark == NULL)
    return;
  struct stack_address top = {(uintptr_t)__builtin_frame_address(0)};
  while (watermark->count != 0 && watermark->barriers[watermark->count - 1].place.word < top.word)
    forget_youngest(watermark);
  while (watermark->count > WATERMARK_BARRIERS)
    remove_barrier(watermark, most_dispensable(watermark, top));
}

void spgc_watermark_append(struct spgc_watermark *watermark, struct stack_address place) {
  if (watermark->free_stubs == 0)
    return;
  unsigned free_stub = (unsigned)__builtin_ctz(watermark->free_stubs);
  watermark->free_stubs &= watermark->free_stubs - 1;
  struct barrier barrier = {watermark->first_stub + free_stub, place};
  return_barrier_set_original(barrier.stub, (struct return_address){*word_at(place)});
  /* code that unwinds the stack at the same time finds the original when it asks for it */
  __atomic_store_n(word_at(place), return_barrier_stub(barrier.stub).word, __ATOMIC_RELEASE);
  watermark->barriers[watermark->count++] = barrier;
}
