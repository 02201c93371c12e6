#ifndef SPGC_BENCH_WALK_REGISTRATION_H
#define SPGC_BENCH_WALK_REGISTRATION_H

#include <stdbool.h>
#include <stddef.h>

/* Registers copies of the section, for other addresses, as one module of at least 100,000 call
 * sites. False if that fails. */
bool measure_registration(const unsigned char *section, size_t size, bool json);

#endif
