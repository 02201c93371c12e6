#include <string.h>

#include "spgc/version.h"
#include "tests/support/check_main.h"

START_TEST(headers_and_library_have_one_version) {
  const struct spgc_version *version = spgc_version();
  ck_assert_uint_eq(version->size, sizeof *version);
  ck_assert_uint_eq(version->major, SPGC_VERSION_MAJOR);
  ck_assert_uint_eq(version->minor, SPGC_VERSION_MINOR);
  ck_assert_uint_eq(version->patch, SPGC_VERSION_PATCH);
  ck_assert_str_eq(version->text, SPGC_VERSION);
}
END_TEST

START_TEST(what_it_was_built_with_is_told) {
  const struct spgc_version *version = spgc_version();
  const char *const texts[] = {version->compiler, version->libunwind, version->build_type,
                               version->sanitizers};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    ck_assert_uint_gt(strlen(texts[i]), 0);
  ck_assert_int_eq(version->prefetch_queue, EXPECTED_PREFETCH_QUEUE);
  ck_assert_str_eq(version->build_type, EXPECTED_BUILD_TYPE);
}
END_TEST

CHECK_MAIN("version", headers_and_library_have_one_version, what_it_was_built_with_is_told)
