/* The program of docs/tour.md: what cards.ll and scores.ll call, and what calls them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "spgc/heap.h"
#include "spgc/ref.h"
#include "spgc/thread.h"

/* cards.ll, scores.ll */
int64_t play(void);
int64_t total(int64_t count);

struct card {
  const void *header;
  int64_t number;
};

struct scores {
  const void *header;
  int64_t length, numbers[];
};

void collect(void) {
  spgc_collect(SPGC_COLLECTION_MINOR);
}

static int64_t number(struct spgc_ref card) {
  return ((const struct card *)spgc_ref_memory(card))->number;
}

int64_t points(struct spgc_ref one, struct spgc_ref two, struct spgc_ref three,
               struct spgc_ref four, struct spgc_ref five, struct spgc_ref six,
               struct spgc_ref seven) {
  int64_t upper = number(five) + number(six) + number(seven);
  return number(one) + number(two) + number(three) + number(four) + upper;
}

void fill(struct spgc_ref array) {
  struct scores *scores = spgc_ref_memory(array);
  for (int64_t i = 0; i < scores->length; i++)
    scores->numbers[i] = 10 * (i + 1);
}

static void require(enum spgc_result result, const struct spgc_error *error) {
  if (result == SPGC_OK)
    return;
  fprintf(stderr, "%s\n", error->message);
  exit(1);
}

int main(void) {
  struct spgc_error error;
  require(spgc_start(NULL, &error), &error);
  require(spgc_thread_attach(__builtin_frame_address(0), &error), &error);
  printf("the cards have %" PRId64 " points\n", play());
  printf("the scores sum up to %" PRId64 "\n", total(3));
  struct spgc_statistics statistics;
  spgc_statistics_read(&statistics);
  printf("objects moved: %" PRIu64 "\n", statistics.moved_objects);
  printf("references visited in slots: %" PRIu64 "\n", statistics.roots_in_slots);
  printf("references visited in registers: %" PRIu64 "\n", statistics.roots_in_registers);
  printf("registers rewritten: %" PRIu64 "\n", statistics.registers_rewritten);
  spgc_thread_detach();
  spgc_stop();
}
