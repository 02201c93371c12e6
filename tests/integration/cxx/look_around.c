#include "throws.h"

void look_around(void) {
}
