/* Any bytes as an object file. */
#include "tests/support/stackmap_survey.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size) {
  survey_file(bytes, size);
  return 0;
}
