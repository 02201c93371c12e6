/* As in generated code, for tests of the runtime without it. */
#ifndef SPGC_TESTS_LOX_CLASSES_H
#define SPGC_TESTS_LOX_CLASSES_H

#include "frontend-demo/runtime/abi.h"
#include "spgc/handle.h"

/* A method's function type, whose closures can be allocated. */
#define LOX_TEST_METHOD(name_, arity_)                                                             \
  {.type = {.gc = {.size = 8, .name = name_},                                                      \
            .kind = LOX_OBJECT_CLOSURE,                                                            \
            .call_key = LOX_NOT_CALLABLE},                                                         \
   .bound_type = {.gc = {.size = 24, .flags = SPGC_TYPE_VALUES, .name = "bound method"},           \
                  .kind = LOX_OBJECT_BOUND_METHOD,                                                 \
                  .call_key = arity_},                                                             \
   .name = name_,                                                                                  \
   .method_code = (void *)name_,                                                                   \
   .arity = arity_}

#define LOX_TEST_NAME(text_) {.text = text_, .length = sizeof text_ - 1}

struct spgc_handle lox_declare(const struct lox_class_site *site, struct spgc_ref superclass);

/* The class has no initializer. */
struct spgc_handle lox_instantiate(struct spgc_handle class_object);

/* Through the cache, which `hits` counts unless NULL, otherwise by the miss function. */
struct spgc_ref lox_get_through(struct lox_property_cache *cache, struct spgc_ref object,
                                int *hits);
void lox_set_through(struct lox_property_cache *cache, struct spgc_ref object,
                     struct spgc_ref value, int *hits);

#endif
