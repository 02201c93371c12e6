/* A library that takes 512 bytes of static thread-local storage, what glibc keeps for libraries
 * that are loaded later (rtld.optional_static_tls), and 1,000 bytes of the rest. */
char *static_tls_taken(void);

static _Thread_local char taken[512 + 1000] __attribute__((tls_model("initial-exec")));

char *static_tls_taken(void) {
  return taken;
}
