#ifndef SPGC_TESTS_FORK_OTHERS_H
#define SPGC_TESTS_FORK_OTHERS_H

#include <pthread.h>
#include <stdbool.h>

struct fork_occupation {
  const char *name;
  void *(*body)(void *number); /* reports when it begins; ends when no other runs */
  bool allocates_unheld;       /* calls malloc, even in a stop */
};

enum { FORK_OTHERS = 2, FORK_OCCUPATIONS = 11 };
extern const struct fork_occupation fork_occupations[FORK_OCCUPATIONS];

/* None if the body is NULL. Waits until all have begun. Attached callers. */
void fork_begin_others(void *(*body)(void *), pthread_t threads[FORK_OTHERS]);
void fork_end_others(void *(*body)(void *), pthread_t threads[FORK_OTHERS]);

/* For the bodies. */
void fork_attach(void *base);
void fork_other_begins(void);
bool fork_others_go_on(void);

void *fork_other_blocks(void *context);

#endif
