/* A collection uses no file descriptor, because the program may have closed all and reused their
 * numbers. A test framework would have some. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "spgc/allocate.h"
#include "spgc/handle.h"
#include "spgc/heap.h"
#include "spgc/thread.h"
#include "spgc/type.h"
#include "support/fatal.h"
#include "tests/support/system_calls.h"

enum { FIRST = 3, PAIRS = 8, COLLECTIONS = 20, LIST = 500, DEPTH = 8 };

/* {header, number, next} */
static const uint32_t next_offset[] = {16};
static const struct spgc_type node = {
    .size = 24, .reference_count = 1, .reference_offsets = next_offset, .name = "node"};

static struct spgc_handle make_list(uint64_t count) {
  struct spgc_handle list = spgc_handle_make(spgc_ref_null());
  for (uint64_t i = 0; i < count; i++) {
    struct spgc_ref added = spgc_allocate(&node);
    uint64_t *words = spgc_ref_memory(added);
    words[1] = i;
    words[2] = spgc_handle_get(list).word; /* a new object needs no barrier */
    spgc_handle_set(list, added);
  }
  return list;
}

static void collect_and_check(struct spgc_handle list) {
  for (int i = 0; i < COLLECTIONS; i++) {
    struct spgc_scope scope = spgc_scope_open();
    make_list(LIST);
    spgc_scope_close(scope);
    spgc_collect(i % 2 == 0 ? SPGC_COLLECTION_MINOR : SPGC_COLLECTION_FULL);
  }
  uint64_t count = 0;
  for (struct spgc_ref at = spgc_handle_get(list); !spgc_ref_is_null(at); count++)
    at = spgc_ref_from_word(((const uint64_t *)spgc_ref_memory(at))[2]);
  spgc_require(count == LIST, "the list was lost");
}

__attribute__((noinline)) static void collect_deeper(struct spgc_handle list, unsigned depth) {
  volatile char frame[1 << 16];
  frame[0] = 1;
  collect_and_check(list);
  if (depth != 0)
    collect_deeper(list, depth - 1);
  frame[sizeof frame - 1] = 1;
}

__attribute__((noinline)) static void run(const char *options,
                                          void (*body)(struct spgc_handle list)) {
  struct spgc_options chosen;
  struct spgc_error error;
  spgc_options_default(&chosen);
  spgc_require(spgc_options_parse(&chosen, options, &error) == SPGC_OK, "%s", error.message);
  spgc_require(spgc_start(&chosen, &error) == SPGC_OK, "%s", error.message);
  spgc_require(spgc_thread_attach(__builtin_frame_address(0), &error) == SPGC_OK, "%s",
               error.message);
  struct spgc_handle list = make_list(LIST);
  collect_and_check(list);
  body(list);
  _exit(0);
}

/* A failure can only be reported as the line at which a signal ended the program. */
static void reuse_descriptors(struct spgc_handle list) {
  int ends[PAIRS][2];
  if (close_range(FIRST, ~0U, 0) != 0)
    __builtin_trap();
  for (int i = 0; i < PAIRS; i++)
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends[i]) != 0 ||
        write(ends[i][0], "a", 1) != 1 || write(ends[i][1], "b", 1) != 1)
      __builtin_trap();
  collect_deeper(list, DEPTH);
  for (int i = 0; i < PAIRS; i++)
    for (int side = 0; side < 2; side++) {
      char got[4];
      if (read(ends[i][side], got, sizeof got) != 1 || got[0] != "ba"[side])
        __builtin_trap();
    }
}

/* AArch64 has only their newer forms. */
#ifdef SYS_open
#define OLDER_CALLS SYS_open, SYS_pipe, SYS_poll
#else
#define OLDER_CALLS SYS_ppoll
#endif

/* The system calls that use a descriptor, query memory or block signals. */
static void collect_without_descriptors(struct spgc_handle list) {
  static const int forbidden[] = {
      SYS_read,
      SYS_write,
      SYS_pread64,
      SYS_pwrite64,
      SYS_readv,
      SYS_writev,
      OLDER_CALLS,
      SYS_openat,
      SYS_close,
      SYS_pipe2,
      SYS_dup,
      SYS_eventfd2,
      SYS_memfd_create,
      SYS_ioctl,
      SYS_fcntl,
      SYS_rt_sigprocmask,
      SYS_mincore,
      SYS_msync,
      SYS_process_vm_readv,
  };
  system_calls_filter(forbidden, sizeof forbidden / sizeof *forbidden, false);
  collect_and_check(list);
}

static struct spgc_handle checked_in_signal;

static void collect_in_signal(int unused) {
  collect_and_check(checked_in_signal);
}

/* Only libunwind steps out of the frame that a signal made. */
static void collect_after_a_signal(struct spgc_handle list) {
  static const int forbidden[] = {
      SYS_read,  SYS_write, SYS_readv, SYS_writev, OLDER_CALLS,      SYS_openat,
      SYS_close, SYS_pipe2, SYS_dup,   SYS_fcntl,  SYS_memfd_create,
  };
  checked_in_signal = list;
  signal(SIGUSR1, collect_in_signal);
  system_calls_filter(forbidden, sizeof forbidden / sizeof *forbidden, false);
  raise(SIGUSR1);
}

static void write_to_no_stream(struct spgc_handle list) {
  for (int stream = 0; stream < FIRST; stream++)
    if (write(stream, "a", 1) != -1 || errno != EBADF)
      __builtin_trap();
}

static int check(const char *what, const char *options, void (*body)(struct spgc_handle list)) {
  int status;
  pid_t child = fork();
  if (child == 0 && body == write_to_no_stream)
    close_range(0, FIRST - 1, 0);
  if (child == 0)
    run(options, body);
  spgc_require(child > 0 && waitpid(child, &status, 0) == child, "no child process");
  if (status == 0)
    return 0;
  printf("%s, %s: ended by signal %d (%s)\n", what, options, WTERMSIG(status),
         strsignal(WTERMSIG(status)));
  return 1;
}

int main(void) {
  int failures = 0;
  failures += check("reused descriptors", "walk=fast", reuse_descriptors);
  failures += check("reused descriptors", "walk=differential", reuse_descriptors);
  failures += check("reused descriptors", "walk=unwind", reuse_descriptors);
  failures += check("no system calls", "threads=1,concurrent=off", collect_without_descriptors);
  failures += check("a signal's frame", "threads=1,concurrent=off", collect_after_a_signal);
  failures += check("closed streams", "walk=fast", write_to_no_stream);
  failures += check("closed streams", "walk=differential", write_to_no_stream);
  return failures != 0;
}
