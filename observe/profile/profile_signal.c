#include "gc/inspect.h"
#include "observe/profile/profile.h"
#include "observe/signal_request.h"
#include "spgc/profile.h"
#include "support/log.h"

static const char call[] = "the option profile";

static struct spgc_signal_request request = {
    .write = spgc_profile_write,
    .thread_name = "spgc-profile",
    .lost = "spgc: no profile of a forked process: the file belongs to its parent; put %p into the "
            "name\n",
};

void spgc_profile_signal_begin(void) {
  const struct spgc_options *options = &spgc_runtime.options;
  struct spgc_error error;
  if (options->profile_signal == 0)
    return;
  if (spgc_signal_request_choose(&request, options->profile_signal, options->profile, call,
                                 &error) == SPGC_OK)
    spgc_signal_request_serve_children(&request);
  else
    spgc_log("%s", error.message);
}

/* A forked child may not have chosen the signal. */
void spgc_profile_signal_end(void) {
  if (spgc_runtime.started && spgc_runtime.options.profile_signal != 0)
    spgc_signal_request_give_back(&request, spgc_runtime.options.profile_signal, call, NULL);
}
