/* The hooks of clang's -finstrument-functions. */
#include <stdio.h>
#include <unistd.h>

static unsigned long entered, left;

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller) {
  entered++;
}

void __cyg_profile_func_exit(void *function, void *caller) {
  left++;
}

static void __attribute__((destructor)) compare(void) {
  if (entered != 0 && entered == left)
    return;
  fprintf(stderr, "%lu functions entered, %lu left\n", entered, left);
  _exit(1);
}
