/* Machine code, stack map and unwind information made as by a JIT. The functions call each other in
 * a chain, the last one a C function:
 *
 *     uint64_t f(struct spgc_ref object)   keeps the object in a slot and in a register during its
 *                                          call, and returns 0 if both were moved alike
 *
 * The map omits every other function's frame size, so that it gets no unwind plan. */
#ifndef SPGC_TESTS_MADE_CODE_H
#define SPGC_TESTS_MADE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "spgc/ref.h"
#include "spgc/stackmap.h"
#include "stackwalk/address.h"

enum { MADE_FUNCTIONS = 8 };

typedef uint64_t made_function(struct spgc_ref object);

/* The page can be used again. */
struct made_code {
  unsigned char *page;
  made_function *first; /* of the chain, while there is code */
  struct spgc_stackmap *map;
  unw_dyn_info_t unwind;
};

void made_code_reserve(struct made_code *code);
void made_code_release(struct made_code *code);

/* The code begins about `shift` bytes into the page. The last call is of `bottom`. */
enum { MADE_MOST_SHIFT = 256 };
void made_code_make(struct made_code *code, unsigned shift, made_function *bottom);

struct return_address made_code_return_address(const struct made_code *code, unsigned function);

/* No function may be active. */
void made_code_forget(struct made_code *code);

#endif
