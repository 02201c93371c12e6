#include "spgc/version.h"

#include "support/build_info.h"

#define SAME(part)                                                                                 \
  _Static_assert(SPGC_VERSION_##part == SPGC_BUILD_##part,                                         \
                 "include/spgc/version.h and meson.build have different versions")
SAME(MAJOR);
SAME(MINOR);
SAME(PATCH);
#undef SAME

#ifdef __clang__
#define COMPILER "clang " __clang_version__
#else
#define COMPILER "gcc " __VERSION__
#endif

const struct spgc_version *spgc_version(void) {
  static const struct spgc_version version = {.size = sizeof version,
                                              .major = SPGC_BUILD_MAJOR,
                                              .minor = SPGC_BUILD_MINOR,
                                              .patch = SPGC_BUILD_PATCH,
                                              .prefetch_queue = SPGC_BUILD_PREFETCH_QUEUE,
                                              .text = SPGC_BUILD_VERSION,
                                              .compiler = COMPILER,
                                              .libunwind = SPGC_BUILD_LIBUNWIND,
                                              .build_type = SPGC_BUILD_TYPE,
                                              .sanitizers = SPGC_BUILD_SANITIZERS};
  return &version;
}
