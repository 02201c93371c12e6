/* refused: "gc-leaf-function" if it cannot reach a safepoint */
extern "C" {
#include "spgc/managed.h"
}

namespace a_long_name_of_a_namespace_that_is_repeated_in_each_of_its_functions {

struct a_long_name_of_a_structure_with_references {
  const struct spgc_type *type;
  struct a_long_name_of_a_structure_with_references SPGC_MANAGED *
      a_long_name_of_a_field_of_the_structure;
  long a_long_name_of_another_field_of_the_structure;
};

void a_long_name_of_a_function_that_is_called(
    a_long_name_of_a_structure_with_references SPGC_MANAGED *SPGC_MANAGED *address);

void a_long_name_of_a_function_that_makes_a_call(
    a_long_name_of_a_structure_with_references SPGC_MANAGED
        *a_long_name_of_a_parameter_cut_at_its_end) {
  a_long_name_of_a_function_that_is_called( /* at: 'a_long_name_of_a_parameter_cut_at_its_end' */
      &a_long_name_of_a_parameter_cut_at_its_end->a_long_name_of_a_field_of_the_structure);
}

} // namespace a_long_name_of_a_namespace_that_is_repeated_in_each_of_its_functions
