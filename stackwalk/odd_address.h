/* Why a return address leads to no frame that a walk knows, for messages. */
#ifndef SPGC_STACKWALK_ODD_ADDRESS_H
#define SPGC_STACKWALK_ODD_ADDRESS_H

#include "stackwalk/address.h"

struct odd_address {
  char text[400]; /* ": " and the reason; empty if none is known */
};

/* Looks at the address of the frame where a walk cannot go on, and at that of the frame further in.
 * It opens a file, because the process ends. */
struct odd_address spgc_odd_address(struct return_address address, struct return_address inner);

#endif
