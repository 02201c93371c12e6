/* Threads that make random calls, each with a model of its objects.
 *
 * A life may end without cleaning up, by pthread_exit or cancellation. Then its fibers end, and
 * another thread releases its pins, global handles and roots. No call is a cancellation point, so
 * the model is right whenever a life ends. */
#ifndef SPGC_TESTS_API_RANDOM_H
#define SPGC_TESTS_API_RANDOM_H

#include <pthread.h>
#include <stdatomic.h>

#include "heap_world.h"
#include "spgc/fiber.h"
#include "spgc/module.h"
#include "spgc/weak_map.h"
#include "tests/support/random.h"

enum {
  API_THINGS = 24,
  API_HOLDERS = 8,
  API_GLOBALS = 8,
  API_ROOTS = 2,
  API_PINS = 3,
  API_FIBERS = 4,
  API_FIBER_THINGS = 6
};

enum api_ending {
  API_DETACHES,
  API_RETURNS, /* while attached, releasing nothing from here on */
  API_EXITS,
  API_EXITS_BLOCKING,
  API_IS_CANCELLED, /* unless it has returned before */
  API_ENDINGS,
};

enum api_kind { API_NOTHING, API_LEAF, API_PAIR, API_LARGE, API_TABLE };

struct api_thing {
  enum api_kind kind;
  uint64_t number;      /* unique in this cycle of the heap */
  uint64_t children[2]; /* a pair's or table's: their numbers; 0: null */
  uint32_t length;      /* a large object's or table's */
  uint32_t hash;        /* 0: not hashed yet */
  unsigned pins;
  uintptr_t address;     /* while pinned */
  bool has_value;        /* it is a key of the map */
  unsigned registration; /* the finalizer's, from 1; 0: none */
};

struct api_fiber {
  struct spgc_fiber *fiber; /* or NULL */
  struct spgc_fiber *back;
  struct api_life *life;
  bool runs;    /* or waits for a fiber it switched to */
  bool retires; /* asked to finish */
  struct api_thing things[API_FIBER_THINGS];
  struct spgc_handle handles[API_FIBER_THINGS];
};

struct api_life {
  struct random random;
  pthread_t thread;
  uint64_t index, steps, step, numbers;
  enum api_ending ending;
  bool refused; /* there was no memory to attach */
  unsigned depth, pinned;
  uint64_t hooks, interrupts;
  struct api_thing things[API_THINGS];
  struct spgc_handle handles[API_THINGS], holders[API_HOLDERS], owner;
  uint64_t bound[API_HOLDERS]; /* number of the holder's referent; 0: none */
  struct spgc_weak_map map;
  struct spgc_handle globals[API_GLOBALS];
  uint64_t global_numbers[API_GLOBALS]; /* 0: no handle */
  struct spgc_ref roots[API_ROOTS];
  uint64_t root_numbers[API_ROOTS];
  struct spgc_global_roots run;
  struct spgc_module module;
  bool registered;
  struct api_fiber fibers[API_FIBERS];
};
extern _Thread_local struct api_life *api_self; /* the calling thread's, once begun */

struct api_cycle {
  uint64_t seed, limit;
  struct spgc_handle exchange; /* an array of leaves */
  atomic_uint registrations;
};
extern struct api_cycle api_cycle;

enum { API_EXCHANGED = 500, API_REGISTRATIONS = 1 << 16 };

/* To check the test: counts of each kind of step. */
enum { API_MOST_STEPS = 40 };
extern atomic_ulong api_taken[API_MOST_STEPS];
extern const size_t api_step_kinds;
const char *api_step_name(size_t kind);

void api_cycle_begin(uint64_t seed, uint64_t limit);

/* After the last life. Every object with a finalizer must have been queued once. Attached. */
void api_cycle_end(void);

/* Attached. */
void api_life_begin(struct api_life *life);
void api_life_run(struct api_life *life);

/* Releases everything the life holds. Called by the life, or after its end. Attached. */
void api_life_settle(struct api_life *life);

/* Called by the life's thread before it detaches. */
void api_life_release_fibers(struct api_life *life);

void api_out_of_memory(void *context, size_t requested);
void api_interrupted(void *context);

#endif
