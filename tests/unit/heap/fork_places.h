#ifndef SPGC_TESTS_FORK_PLACES_H
#define SPGC_TESTS_FORK_PLACES_H

#include <sys/types.h>

extern pid_t forked;
void *fork_now(void *context);

struct fork_place {
  const char *name;
  void (*fork)(void); /* returns in the parent and in the child */
};

enum { FORK_PLACES = 7 };
extern const struct fork_place fork_places[FORK_PLACES];

#endif
