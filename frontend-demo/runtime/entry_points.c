#include "frontend-demo/runtime/abi.h"
#include "frontend-demo/runtime/native.h"

#define ENTRY_POINT(symbol) {#symbol, (void *)&(symbol)}

#define ENTRY(enumerator, symbol, signature, calls) ENTRY_POINT(symbol),
#define NATIVE(enumerator, name, arity, result) ENTRY_POINT(lox_native_##name),

const struct lox_entry_point lox_entry_points[] = {ENTRY_POINT(lox_string_type),
                                                   ENTRY_POINT(lox_slice_type),
                                                   ENTRY_POINT(lox_cell_type),
                                                   ENTRY_POINT(lox_list_type),
                                                   ENTRY_POINT(lox_list_store_type),
                                                   ENTRY_POINT(lox_one_byte_strings),
                                                   LOX_ENTRY_POINTS(ENTRY) LOX_NATIVES(NATIVE)};

const size_t lox_entry_point_count = sizeof lox_entry_points / sizeof lox_entry_points[0];
