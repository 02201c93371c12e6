#include <inttypes.h>
#include <stdlib.h>

#include "observe/output.h"
#include "observe/profile/profile.h"
#include "support/fatal.h"
#include "support/log.h"

/* `call` begins messages. */
static enum spgc_result write_message(const struct spgc_protobuf *message, const char *call,
                                      const char *path, struct spgc_error *error) {
  struct spgc_output *output = malloc(sizeof *output);
  if (output == NULL)
    return spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "%s: out of memory", call);
  enum spgc_result result = SPGC_OK;
  bool is_written = spgc_output_begin(output, path);
  if (is_written) {
    spgc_output_write(output, message->bytes, message->length);
    is_written = spgc_output_finish(output);
  }
  if (!is_written)
    result = spgc_output_report(output, call, path, error);
  free(output);
  return result;
}

enum spgc_result spgc_profile_write_capture(struct spgc_profile_capture *capture, const char *call,
                                            const char *path, struct spgc_error *error) {
  struct spgc_protobuf message = {0};
  enum spgc_result result;
  if (spgc_pprof_write(&message, &capture->tables, &capture->facts))
    result = write_message(&message, call, path, error);
  else
    result = spgc_error_set(error, SPGC_ERROR_NO_MEMORY, 0, "%s: out of memory", call);
  if (capture->facts.dropped_samples != 0)
    spgc_log("profile: samples dropped because memory was short: %" PRIu64
             "; its figures are too small",
             capture->facts.dropped_samples);
  spgc_protobuf_free(&message);
  spgc_profile_tables_free(&capture->tables);
  return result;
}
