#include "gc/mutator/mutator.h"

_Thread_local struct spgc_thread spgc_thread __attribute__((tls_model("initial-exec")));

_Thread_local struct spgc_mutator *spgc_mutator_current __attribute__((tls_model("initial-exec")));

_Thread_local struct spgc_mutator *spgc_mutator_attached __attribute__((tls_model("initial-exec")));

ptrdiff_t spgc_thread_offset(void) {
  return (char *)&spgc_thread - (char *)__builtin_thread_pointer();
}
