#ifndef SPGC_STACKWALK_ODD_ADDRESS_H
#define SPGC_STACKWALK_ODD_ADDRESS_H

#include "stackwalk/address.h"

struct odd_address {
  char text[400]; /* ": " and the reason; or empty */
};

/* `address` is where the walk stopped, `inner` the address of the next frame further in. Opens a
 * file, which is allowed because the process is ending. */
struct odd_address spgc_odd_address(struct return_address address, struct return_address inner);

#endif
