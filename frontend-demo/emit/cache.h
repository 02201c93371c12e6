/* Per-site caches of the properties' layout (runtime/abi.h).
 *
 *   if (header == entries[0].shape) use entries[0]; else if (header == entries[1].shape) use entries[1]; ... else miss
 */
#ifndef LOX_EMIT_CACHE_H
#define LOX_EMIT_CACHE_H

#include "frontend-demo/emit/emitter.h"

enum lox_cache_kind {
  LOX_GET_CACHE,
  LOX_SET_CACHE,
  LOX_INVOKE_CACHE,
};

/* What a cache knows about a shape. */
struct lox_cache_entry {
  LLVMValueRef offset;
  LLVMValueRef extra; /* set: the next shape; invoke: the method's code; get: NULL */
};

/* A new cache, empty. */
LLVMValueRef lox_get_cache_make(struct lox_emitter *emitter, const struct lox_name *name);
LLVMValueRef lox_set_cache_make(struct lox_emitter *emitter, const struct lox_name *name);
LLVMValueRef lox_invoke_cache_make(struct lox_emitter *emitter, const struct lox_name *name, uint32_t argument_count);
LLVMValueRef lox_super_cache_make(struct lox_emitter *emitter, const struct lox_name *name, uint32_t argument_count);

/* Goes on with the entry for the object's header, if there is one. */
struct lox_cache_entry lox_cache_look_up(struct lox_emitter *emitter, enum lox_cache_kind kind, LLVMValueRef cache,
                                         LLVMValueRef object, LLVMBasicBlockRef miss);

/* What the miss that was just handled found, in an invoke cache. */
struct lox_cache_entry lox_cache_found(struct lox_emitter *emitter, LLVMValueRef cache);

#endif
