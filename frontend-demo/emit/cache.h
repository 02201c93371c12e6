/* Per-site caches of properties and methods (runtime/abi.h). */
#ifndef LOX_EMIT_CACHE_H
#define LOX_EMIT_CACHE_H

#include "frontend-demo/emit/emitter.h"

/* A new cache, empty. */
LLVMValueRef lox_make_property_cache(struct lox_emitter *emitter, const struct lox_name *name);
LLVMValueRef lox_make_invoke_cache(struct lox_emitter *emitter, const struct lox_name *name, uint32_t argument_count);
LLVMValueRef lox_make_super_cache(struct lox_emitter *emitter, const struct lox_name *name, uint32_t argument_count);

/* Where the words of a cache's entries are. */
struct lox_cache_layout {
  size_t entry_size;
  size_t key;    /* compared with the header */
  size_t offset; /* a 64-bit integer */
  size_t target; /* a pointer: the next shape, the method's code */
};

extern const struct lox_cache_layout lox_get_layout; /* of property caches: for instances that have the property, */
extern const struct lox_cache_layout lox_add_layout; /* for those that are given it; */
extern const struct lox_cache_layout lox_invoke_layout;

struct lox_cache_entry {
  LLVMValueRef offset;
  LLVMValueRef target;
};

/* Goes on with the entry whose key is the object's header, if there is one. */
struct lox_cache_entry lox_look_up(struct lox_emitter *emitter, const struct lox_cache_layout *layout,
                                   LLVMValueRef cache, LLVMValueRef object, LLVMBasicBlockRef miss);

/* What the miss that was just handled has found, of an invoke cache. */
struct lox_cache_entry lox_cache_found(struct lox_emitter *emitter, LLVMValueRef cache);

#endif
