/* If the thread sleeps in the system, /proc has its stack pointer and instruction. Otherwise the
 * handler of a signal that the program does not use holds it until its stack is read. */
#ifndef SPGC_GC_STALL_AWAITED_THREAD_H
#define SPGC_GC_STALL_AWAITED_THREAD_H

#include <stdbool.h>
#include <sys/types.h>

#include "gc/naming/code_name.h"

struct spgc_awaited_thread {
  uint64_t number;  /* set by the caller, as the next two */
  pid_t thread;     /* the system's ID */
  void *stack_base; /* a walk of its stack reaches this frame */
  /* Results. */
  bool has_place;
  struct spgc_code_place place; /* the innermost of the program */
  char inside[64];              /* the system's function or file that it called */
  bool is_in_loader;            /* it may hold the loader's locks */
};

/* The thread cannot end. The caller has its own descriptors, and no other thread looks. */
void spgc_awaited_thread_look(struct spgc_awaited_thread *awaited);

#endif
