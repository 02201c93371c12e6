/* C with references: pointers in address space 1 are references, and spgc-lower does the rest. */
#ifndef SPGC_TESTS_MANAGED_H
#define SPGC_TESTS_MANAGED_H

#include <stddef.h>
#include <stdint.h>

#include "spgc/type.h"

#define MANAGED __attribute__((address_space(1)))

/* The allocation functions as generated code sees them. */
void MANAGED *spgc_allocate(const struct spgc_type *type);
void MANAGED *spgc_allocate_array(const struct spgc_type *type, uint64_t length);

#define OFFSET(type, field) ((uint32_t)offsetof(type, field))

/* What the driver calls. */
long managed_run(long n);

#endif
