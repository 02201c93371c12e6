/* Calls the program while the loader holds its lock. */
void loader_is_locked(void);

__attribute__((constructor)) static void loaded(void) {
  loader_is_locked();
}
