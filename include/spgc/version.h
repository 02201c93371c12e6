/* The version of the library and its headers, and the library's build. */
#ifndef SPGC_VERSION_H
#define SPGC_VERSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers. */
#define SPGC_VERSION_MAJOR 0
#define SPGC_VERSION_MINOR 1
#define SPGC_VERSION_PATCH 0
#define SPGC_VERSION "0.1.0"

/* The version of libspgc or libspgc-stackwalk. Later releases add members at the end, beyond the
 * `size` of an older library. */
struct spgc_version {
  size_t size; /* of this structure in the library, in bytes */
  uint32_t major, minor, patch;
  bool prefetch_queue;    /* the build's option of this name */
  const char *text;       /* SPGC_VERSION of the library */
  const char *compiler;   /* "gcc 12.2.0" */
  const char *libunwind;  /* the version of libunwind's headers: "1.6.2" */
  const char *build_type; /* Meson's: "release" */
  const char *sanitizers; /* Meson's b_sanitize: "none", "address,undefined" */
};

/* Never NULL. The structure is constant. Any thread, any state. For libspgc-llvm see
 * spgc_llvm_version (spgc/lower.h). */
const struct spgc_version *spgc_version(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
