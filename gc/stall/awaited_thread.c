#include "gc/stall/awaited_thread.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "stackwalk/call_frame.h"
#include "stackwalk/machine_frame.h"
#include "stackwalk/walkers.h"
#include "support/file_name.h"
#include "support/futex.h"

enum { MOST_FRAMES = 256, MOST_STACK_BYTES = 1 << 30 };

/* ---- A thread that sleeps ---- */

/* /proc/PID/task/TID/syscall (proc(5)) ends in the stack pointer and the instruction pointer after
 * the system call, or is "running". */
static bool read_sleeping(pid_t thread, struct suspended_frame *frame) {
  char path[64], text[256], *last, *before;
  snprintf(path, sizeof path, SPGC_OWN_FILES "../%d/syscall", (int)thread);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return false;
  bool is_read = fgets(text, sizeof text, file) != NULL;
  fclose(file);
  last = is_read ? strrchr(text, ' ') : NULL;
  if (last == NULL)
    return false;
  *last++ = '\0';
  before = strrchr(text, ' ');
  if (before == NULL)
    return false;
  frame->return_address.word = strtoull(last, NULL, 0);
  frame->origins[ORIGIN_STACK_POINTER].word = strtoull(before + 1, NULL, 0);
  return true;
}

/* ---- A thread that runs ---- */

enum { IDLE, ASKED, TAKEN, HELD, RELEASED };

/* From ASKED, the handler goes to TAKEN and, with the registers written, to HELD; the looking
 * thread makes all other changes. */
static struct {
  _Atomic uint32_t state;
  struct interrupted_registers registers;
} held;

static void hold(int signal, siginfo_t *info, void *context) {
  int error = errno;
  uint32_t asked = ASKED;
  if (atomic_compare_exchange_strong(&held.state, &asked, TAKEN)) {
    interrupted_registers_read(&held.registers, context);
    atomic_store(&held.state, HELD);
    while (atomic_load(&held.state) == HELD)
      spgc_futex_wait(&held.state, HELD);
  }
  errno = error;
}

static int unused_signal(void) {
  struct sigaction action;
  for (int signal = SIGRTMAX; signal >= SIGRTMIN; signal--)
    if (sigaction(signal, NULL, &action) == 0 &&
        (action.sa_handler == SIG_DFL ||
         ((action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == hold)))
      return signal;
  return 0;
}

/* A fifth of a second: the thread may have blocked the signal. */
static bool wait_until_held(void) {
  enum { TRIES = 200, NANOSECONDS = 1000000 };
  const struct timespec pause = {.tv_nsec = NANOSECONDS};
  uint32_t asked = ASKED;
  for (int i = 0; i < TRIES && atomic_load(&held.state) == ASKED; i++)
    nanosleep(&pause, NULL);
  if (atomic_compare_exchange_strong(&held.state, &asked, IDLE))
    return false;
  while (atomic_load(&held.state) != HELD)
    nanosleep(&pause, NULL);
  return true;
}

/* The handler stays while a signal may come, whose default action would end the process. */
static bool hold_running(pid_t thread, struct suspended_frame *frame) {
  struct sigaction action = {.sa_sigaction = hold,
                             .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
  int signal = unused_signal();
  sigfillset(&action.sa_mask);
  if (signal == 0 || sigaction(signal, &action, NULL) != 0)
    return false;
  atomic_store(&held.state, ASKED);
  if (syscall(SYS_tgkill, getpid(), thread, signal) != 0 || !wait_until_held())
    return false;
  action.sa_handler = SIG_DFL;
  action.sa_flags = 0;
  sigaction(signal, &action, NULL);
  *frame = interrupted_frame(&held.registers);
  return true;
}

static void release(void) {
  atomic_store(&held.state, RELEASED);
  spgc_futex_wake(&held.state);
}

/* ---- Its frames ---- */

static const char *base_name(const char *file) {
  const char *slash = strrchr(file, '/');
  return slash != NULL ? slash + 1 : file;
}

static bool is_named(const char *file, const char *name) {
  return strncmp(base_name(file), name, strlen(name)) == 0;
}

static bool is_loader(const struct spgc_code_place *place) {
  return is_named(place->file, "ld-linux") || is_named(place->file, "ld.so");
}

/* Such a place would not help the program's author. */
static bool is_of_system(const struct spgc_code_place *place) {
  return !place->is_program &&
         (is_named(place->file, "libc.so") || is_loader(place) ||
          is_named(place->file, "libpthread.so") || is_named(place->file, "libspgc.so"));
}

static void note(struct spgc_awaited_thread *awaited, uintptr_t instruction) {
  struct spgc_code_place place;
  spgc_code_find(instruction, &place);
  awaited->is_in_loader = awaited->is_in_loader || is_loader(&place);
  if (awaited->has_place)
    return;
  if (is_of_system(&place)) {
    snprintf(awaited->inside, sizeof awaited->inside, "%.63s",
             place.is_named ? place.function : base_name(place.file));
    return;
  }
  awaited->place = place;
  awaited->has_place = true;
}

static bool step(struct suspended_frame *frame, struct stack_address limit) {
  struct call_frame rules;
  if (!spgc_call_frame_find(frame->return_address, &rules) ||
      !spgc_call_frame_step(&rules, frame, limit))
    return false;
  if (return_address_is_barrier(frame->return_address))
    frame->return_address = return_barrier_original(frame->return_address);
  return frame->return_address.word != 0;
}

static void read_frames(struct spgc_awaited_thread *awaited, struct suspended_frame *frame) {
  const struct stack_address limit = {(uintptr_t)awaited->stack_base};
  note(awaited, frame->return_address.word - 1);
  for (int i = 0; i < MOST_FRAMES; i++) {
    uintptr_t stack_pointer = frame_stack_pointer(frame);
    if (stack_pointer >= limit.word || limit.word - stack_pointer > MOST_STACK_BYTES ||
        !step(frame, limit))
      return;
    note(awaited, frame->return_address.word - 1);
  }
}

void spgc_awaited_thread_look(struct spgc_awaited_thread *awaited) {
  struct suspended_frame frame = {.return_address.word = 0};
  bool sleeps = read_sleeping(awaited->thread, &frame);
  if (!sleeps && !hold_running(awaited->thread, &frame))
    return;
  unsigned entered = spgc_walkers_enter();
  read_frames(awaited, &frame);
  spgc_walkers_leave(entered);
  if (!sleeps)
    release();
}
