/* The child of a fork uses everything that has a lock, except Check, whose lock fork does not
 * know. */
#ifndef SPGC_TESTS_FORK_CHILD_H
#define SPGC_TESTS_FORK_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "spgc/handle.h"
#include "spgc/type.h"

enum {
  FORK_KEPT_LENGTH = 150,
  FORK_HANG_SECONDS = 100 /* an alarm ends a child that hangs; it only means a hang */
};

/* The parent's list of FORK_KEPT_LENGTH. */
extern struct spgc_handle fork_kept;
void fork_keep_a_list(void);

/* Ends the process with the message unless it holds. */
void fork_require(bool holds, const char *what);

struct spgc_handle fork_new_object(const struct spgc_type *type);

/* Numbered from its head: 0, 1, ... */
struct spgc_handle fork_new_list(uint64_t count);
void fork_check_list(struct spgc_handle list, uint64_t count);

/* The code at `function` does not exist. */
void fork_use_modules(uint64_t function);

void fork_use_tables(void);

void fork_use_heap(void);

void *fork_join(void *thread);

void fork_expect_end(pid_t child);

/* All of the above, in the child and its own child. Does not return. The forking thread is
 * running. */
void fork_use_everything_in_child(void);

#endif
