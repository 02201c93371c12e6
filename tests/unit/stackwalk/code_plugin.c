/* Managed code (alloca.ll), and the bounds of its stack maps. */
#include <stddef.h>

extern const unsigned char __start_test_stackmaps[], __stop_test_stackmaps[];

__attribute__((visibility("default"))) const void *plugin_maps(size_t *size);

const void *plugin_maps(size_t *size) {
  *size = (size_t)(__stop_test_stackmaps - __start_test_stackmaps);
  return __start_test_stackmaps;
}
