/* Takes glibc's 512 bytes of static thread-local storage for libraries loaded later
 * (rtld.optional_static_tls), and 1,000 of the rest. On AArch64 libunwind's variables are also
 * there. */
char *static_tls_taken(void);

#ifdef __aarch64__
enum { LIBUNWIND = 48 };
#else
enum { LIBUNWIND = 0 };
#endif

static _Thread_local char taken[512 + 1000 - LIBUNWIND] __attribute__((tls_model("initial-exec")));

char *static_tls_taken(void) {
  return taken;
}
