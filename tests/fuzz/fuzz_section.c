/* Any bytes as a section of stack maps. */
#include "tests/support/stackmap_survey.h"

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t size) {
  survey_section(bytes, size);
  return 0;
}
