#ifndef SPGC_STACKWALK_ODD_ADDRESS_H
#define SPGC_STACKWALK_ODD_ADDRESS_H

#include "stackwalk/address.h"

struct odd_address {
  char text[400]; /* ": " and the reason; or empty */
};

/* The walk stopped at `address`, after `inner`. May open a file, because the process is ending. */
struct odd_address spgc_odd_address(struct return_address address, struct return_address inner);

#endif
