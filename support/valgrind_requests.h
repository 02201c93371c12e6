/* Requests of valgrind/memcheck.h; nothing without that header. */
#ifndef SPGC_SUPPORT_VALGRIND_REQUESTS_H
#define SPGC_SUPPORT_VALGRIND_REQUESTS_H

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else
#define VALGRIND_MAKE_MEM_NOACCESS(start, bytes) ((void)(start), (void)(bytes))
#define VALGRIND_MAKE_MEM_UNDEFINED(start, bytes) ((void)(start), (void)(bytes))
#define VALGRIND_GET_VBITS(start, bits, bytes) ((void)(start), (void)(bits), 0)
#define VALGRIND_DISABLE_ERROR_REPORTING ((void)0)
#define VALGRIND_ENABLE_ERROR_REPORTING ((void)0)
#endif

#endif
