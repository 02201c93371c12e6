#include "spgc/main.h"

#include <stddef.h>

#include "spgc/thread.h"
#include "support/fatal.h"

/* Runs also when the frame is unwound. */
static void finish(const char *unused) {
  spgc_thread_detach();
  spgc_stop();
}

static void run(void (*function)(void *argument), void *argument) {
  __attribute__((cleanup(finish))) const char unused = 0;
  function(argument);
}

enum spgc_result spgc_main(const struct spgc_options *options, void (*function)(void *argument),
                           void *argument, struct spgc_error *error) {
  if (function == NULL)
    return spgc_error_set(error, SPGC_ERROR_INVALID_ARGUMENT, 0, "spgc_main: no function is given");
  enum spgc_result result = spgc_start(options, error);
  if (result != SPGC_OK)
    return result;
  result = spgc_thread_attach(__builtin_frame_address(0), error);
  if (result == SPGC_OK)
    run(function, argument);
  else
    spgc_stop();
  return result;
}
