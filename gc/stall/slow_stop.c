#include "gc/stall/slow_stop.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "gc/naming/code_line.h"
#include "gc/naming/placed_line.h"
#include "gc/state/runtime.h"
#include "stackwalk/call_frame.h"
#include "stackwalk/machine_frame.h"
#include "stackwalk/walkers.h"
#include "support/file_name.h"
#include "support/futex.h"
#include "support/log.h"

enum {
  DEFAULT_HANG_MICROSECONDS = 1000000,
  NANOSECONDS = 1000,
};

static bool note_frame(void *return_address, const struct spgc_frame *frame) {
  *(uintptr_t *)return_address = frame->return_address;
  return false;
}

/* The byte before the return address belongs to the call. */
bool spgc_slow_stop_note(struct spgc_slow_stop *stop, uint64_t ns,
                         const struct spgc_suspended_stack *last) {
  const struct spgc_options *options = &spgc_runtime.options;
  uintptr_t return_address = 0;
  uint64_t least_ns = options->slow_stop_us == 0 ? SPGC_LEAST_LOGGED_NS
                                                 : (uint64_t)options->slow_stop_us * NANOSECONDS;
  bool always = options->slow_stop_us == SPGC_SLOW_STOP_ALWAYS;
  if (options->log < SPGC_LOG_GC || last == NULL || (ns < least_ns && !always))
    return false;
  const struct spgc_stack_visitor visitor = {.context = &return_address, .frame = note_frame};
  spgc_walk_suspended(last, &visitor, NULL);
  stop->ns = ns;
  stop->is_managed = return_address != 0;
  if (stop->is_managed)
    spgc_code_find(return_address - 1, &stop->place);
  return true;
}

void spgc_slow_stop_log(const struct spgc_slow_stop *stop) {
  struct spgc_placed_line line = {.has_place = stop->is_managed, .place = stop->place};
  snprintf(line.before, sizeof line.before,
           "stop: " SPGC_LOG_DECIMAL " ms until the last thread came from %s",
           SPGC_LOG_MS(stop->ns), stop->is_managed ? "" : "a thread without managed frames");
  spgc_placed_line_log(&line);
}

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
  enum { TRIES = 200, PAUSE_NS = 1000000 };
  const struct timespec pause = {.tv_nsec = PAUSE_NS};
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

struct awaited_thread {
  pid_t thread;     /* the system's ID */
  void *stack_base; /* a walk of its stack reaches this frame */
  /* Results. */
  bool has_place;
  struct spgc_code_place place; /* the innermost of the program */
  char inside[64];              /* the system's function or file that it called */
  bool is_in_loader;            /* it may hold the loader's locks */
};

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

static void note(struct awaited_thread *awaited, uintptr_t instruction) {
  struct spgc_code_place place;
  spgc_code_find(instruction, &place);
  awaited->is_in_loader = awaited->is_in_loader || is_loader(&place);
  if (awaited->has_place)
    return;
  bool is_of_system = !place.is_program &&
                      (is_named(place.file, "libc.so") || is_loader(&place) ||
                       is_named(place.file, "libpthread.so") || is_named(place.file, "libspgc.so"));
  if (is_of_system) { /* it would not help the program's author */
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

static void read_frames(struct awaited_thread *awaited, struct suspended_frame *frame) {
  enum { MOST_FRAMES = 256, MOST_STACK_BYTES = 1 << 30 };
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

/* Of a thread that sleeps in the system, /proc has stack pointer and instruction. Any other is held
 * by the handler of a signal that the program does not use until its stack is read. */
static void look(void *context) {
  struct awaited_thread *awaited = context;
  struct suspended_frame frame = {.return_address.word = 0};
  bool sleeps = read_sleeping(awaited->thread, &frame);
  if (!sleeps && !hold_running(awaited->thread, &frame))
    return;
  unsigned entered = spgc_walkers_enter();
  read_frames(awaited, &frame);
  spgc_walkers_leave(entered);
  if (sleeps)
    return;
  atomic_store(&held.state, RELEASED);
  spgc_futex_wake(&held.state);
}

uint64_t spgc_endless_stop_ns(void) {
  uint32_t given = spgc_runtime.options.hang_us;
  if (given == SPGC_HANG_OFF)
    return UINT64_MAX;
  return (uint64_t)(given == 0 ? DEFAULT_HANG_MICROSECONDS : given) * NANOSECONDS;
}

void spgc_endless_stop_tell(uint64_t number, pid_t thread, void *stack_base, uint64_t waited_ns) {
  struct awaited_thread awaited = {.thread = thread, .stack_base = stack_base};
  spgc_line_thread_call(look, &awaited);
  struct spgc_placed_line line = {.is_urgent = true,
                                  .loads_reader = !awaited.is_in_loader,
                                  .has_place = awaited.has_place,
                                  .place = awaited.place,
                                  .after = SPGC_HANG_ADVICE};
  bool is_called = awaited.has_place && awaited.inside[0] != '\0';
  snprintf(line.before, sizeof line.before,
           "stop: " SPGC_LOG_DECIMAL " s so far, waiting for thread %" PRIu64
           " (system thread %d) in %s%s%s",
           SPGC_LOG_SECONDS(waited_ns), number, (int)thread, awaited.inside,
           is_called ? ", called by " : "",
           awaited.has_place || awaited.inside[0] != '\0' ? "" : "code that cannot be identified");
  spgc_placed_line_log(&line);
}
