#include "frontend-demo/runtime/entry_points.h"

#include "frontend-demo/runtime/abi.h"
#include "frontend-demo/runtime/native.h"

#define ENTRY_POINT(symbol) {#symbol, (void *)&(symbol)}

const struct lox_entry_point lox_entry_points[] = {ENTRY_POINT(lox_string_type),
                                                   ENTRY_POINT(lox_slice_type),
                                                   ENTRY_POINT(lox_one_byte_strings),
                                                   ENTRY_POINT(lox_cell_type),
                                                   ENTRY_POINT(lox_list_type),
                                                   ENTRY_POINT(lox_list_store_type),
                                                   ENTRY_POINT(lox_add_slow),
                                                   ENTRY_POINT(lox_error_operands_numbers),
                                                   ENTRY_POINT(lox_error_operand_number),
                                                   ENTRY_POINT(lox_strings_equal),
                                                   ENTRY_POINT(lox_print),
                                                   ENTRY_POINT(lox_echo),
                                                   ENTRY_POINT(lox_error_call),
                                                   ENTRY_POINT(lox_error_stack_overflow),
                                                   ENTRY_POINT(lox_invoke_miss),
                                                   ENTRY_POINT(lox_shadowing_field),
                                                   ENTRY_POINT(lox_super_get),
                                                   ENTRY_POINT(lox_construct_default),
                                                   ENTRY_POINT(lox_get_miss),
                                                   ENTRY_POINT(lox_set_miss),
                                                   ENTRY_POINT(lox_error_undefined_variable),
                                                   ENTRY_POINT(lox_class_make),
                                                   ENTRY_POINT(lox_class_method_offset),
                                                   ENTRY_POINT(lox_check_superclass),
                                                   ENTRY_POINT(lox_list_make),
                                                   ENTRY_POINT(lox_list_fill),
                                                   ENTRY_POINT(lox_list_fill_literals),
                                                   ENTRY_POINT(lox_error_index),
                                                   ENTRY_POINT(lox_throw),
                                                   ENTRY_POINT(lox_throw_again),
                                                   ENTRY_POINT(lox_catch),
#define NATIVE(enumerator, name, arity, result) ENTRY_POINT(lox_native_##name),
                                                   LOX_NATIVES(NATIVE)
#undef NATIVE
};

const size_t lox_entry_point_count = sizeof lox_entry_points / sizeof lox_entry_points[0];
