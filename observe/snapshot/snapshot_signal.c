#include "observe/signal_request.h"
#include "observe/snapshot/snapshot.h"
#include "support/log.h"

static struct spgc_signal_request request = {
    .write = spgc_snapshot_write,
    .thread_name = "spgc-snapshot",
    .lost =
        "spgc: no snapshot of a forked process: it must call spgc_snapshot_on_signal itself, or "
        "the option's file must have %p in its name\n",
};

void spgc_snapshot_signal_begin(int signal, const char *path) {
  struct spgc_error error;
  if (spgc_snapshot_on_signal(signal, path, &error) == SPGC_OK)
    spgc_signal_request_serve_children(&request);
  else
    spgc_log("%s", error.message);
}

enum spgc_result spgc_snapshot_on_signal(int signal, const char *path, struct spgc_error *error) {
  return path != NULL ? spgc_signal_request_choose(&request, signal, path, __func__, error)
                      : spgc_signal_request_give_back(&request, signal, __func__, error);
}
