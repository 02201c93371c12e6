#ifndef SPGC_CODEGEN_LOWER_EXPAND_POLLING_H
#define SPGC_CODEGEN_LOWER_EXPAND_POLLING_H

#include <stdbool.h>
#include <stdint.h>

#include "codegen/ir/leaf.h"
#include "codegen/ir/loops.h"
#include "codegen/ir/values.h"

enum {
  CALL_WORK = 1 << 10, /* instructions of a call that does not poll: a guess */
};

struct polling {
  bool at_entries;
  bool for_jit;
  struct values callers;
  struct values weighed;   /* managed functions whose calls were followed */
  uint64_t *work;          /* instructions that each call runs between two polls */
  struct values unbounded; /* calls that need a poll before them */
  struct values entered;   /* functions that poll at their entry */
  struct reach addresses;  /* functions that may return an address as a number */
};

enum effect {
  EFFECT_NONE,
  EFFECT_ALLOCATES, /* polls when the TLAB is full */
  EFFECT_POLLS,
};

enum effect spgc_polling_effect_of(const struct polling *polling, LLVMValueRef call);
uint64_t spgc_polling_work_of(LLVMValueRef call);
bool spgc_polling_is_wanted(LLVMValueRef function);
void spgc_polling_enter(struct polling *polling, LLVMModuleRef module);
void spgc_polling_free(struct polling *polling);

/* poll.c: the addresses that the function reads, and values computed from them. */
struct values spgc_polling_addresses_of(struct polling *polling, LLVMValueRef function);
void spgc_polling_before(LLVMValueRef instruction);

/* dispatch.c */
struct dispatch {
  const struct loops *loops;
  int loop;
  LLVMValueRef position; /* the phi of the loop's header that moves forward, or NULL */
  bool is_threaded;      /* by an indirect branch, which code generation copies into its cases */
};

/* Whether each iteration chooses one of many ways. The loop must have one latch. */
bool spgc_dispatch_find(struct dispatch *dispatch, const struct loops *loops, int loop);
/* None if the latch does more than join them. */
void spgc_dispatch_find_ways(const struct loops *loops, unsigned latch, struct values *ways);
/* Whether the position moves forward in its object from this block to the latch. */
bool spgc_dispatch_moves_on(const struct dispatch *dispatch, LLVMBasicBlockRef from,
                            LLVMBasicBlockRef latch);

#endif
