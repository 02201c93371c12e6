/* Each allocation may move the chain built so far. */
#include <stddef.h>
#include <stdint.h>

#include "chain.h"
#include "spgc/type.h"

#define MANAGED __attribute__((address_space(1)))

void MANAGED *spgc_allocate(const struct spgc_type *type);

struct link {
  const void *header;
  struct link MANAGED *next;
  long number;
};

static const uint32_t next_offset[] = {offsetof(struct link, next)};
static const struct spgc_type link_type = {.size = sizeof(struct link),
                                           .reference_count = 1,
                                           .reference_offsets = next_offset,
                                           .name = "link"};

long chain_sum(long count) {
  struct link MANAGED *chain = 0;
  for (long i = 1; i <= count; i++) {
    struct link MANAGED *link = spgc_allocate(&link_type);
    link->next = chain;
    link->number = LINK_STEP * i;
    chain = link;
  }
  long sum = 0;
  for (; chain != 0; chain = chain->next)
    sum += chain->number;
  return sum;
}

const char *chain_greeting(void) {
  return GREETING;
}
