#include "spgc/type.h"

extern const struct spgc_type plugin_type;
__attribute__((visibility("default"))) const struct spgc_type plugin_type = {.size = 24};
