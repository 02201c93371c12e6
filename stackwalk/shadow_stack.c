#include "stackwalk/shadow_stack.h"

#include "stackwalk/machine_frame.h"

bool spgc_shadow_stack_is_on(void) {
  return shadow_stack_is_on();
}
