/* Per-site caches of properties and methods (runtime/abi.h). */
#ifndef LOX_FAST_CACHE_H
#define LOX_FAST_CACHE_H

#include "frontend-demo/backend/emitter.h"

/* A new cache, empty. */
LLVMValueRef lox_make_property_cache(struct lox_emitter *emitter, const struct lox_name *name);
LLVMValueRef lox_make_invoke_cache(struct lox_emitter *emitter, const struct lox_name *name,
                                   uint32_t argument_count);

/* Continues if the object's header is the word at `key` of the cache; otherwise branches to
 * `otherwise`. */
void lox_guard_cached(struct lox_emitter *emitter, LLVMValueRef cache, uint64_t key,
                      LLVMValueRef object, LLVMBasicBlockRef otherwise);

#endif
