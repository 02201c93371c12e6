/* Snapshots at a signal. */
#include "observe/signal_request.h"
#include "spgc/snapshot.h"

static struct spgc_signal_request request = {
    .write = spgc_snapshot_write,
    .thread_name = "spgc-snapshot",
    .lost = "spgc: no snapshot: this process was forked, and must call spgc_snapshot_on_signal "
            "itself\n",
};

enum spgc_result spgc_snapshot_on_signal(int signal, const char *path, struct spgc_error *error) {
  return path != NULL ? spgc_signal_request_choose(&request, signal, path, __func__, error)
                      : spgc_signal_request_give_back(&request, signal, __func__, error);
}
