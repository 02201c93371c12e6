/* For generated code: throws.cc, and calls.c with -fexceptions. */
#ifndef SPGC_TESTS_CXX_THROWS_H
#define SPGC_TESTS_CXX_THROWS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct _Unwind_Exception;

/* Call `function` from a frame that counts its exits, also by an exception. */
int64_t call_from_cxx(int64_t (*function)(int64_t), int64_t argument);
int64_t call_from_c(int64_t (*function)(int64_t), int64_t argument);

void count_left_frame(void);
int64_t frames_left(void);

void throw_from_cxx(int64_t value) __attribute__((noreturn));
void throw_text_from_cxx(void) __attribute__((noreturn));

/* Ends the exception of throw_from_cxx, and returns its value. */
int64_t catch_in_cxx(struct _Unwind_Exception *exception);

/* C++'s own personality passes the exception in a register that a landing pad of type token does
 * not have. */
int64_t catch_last_in_cxx(void);

int64_t catch_around(int64_t (*function)(int64_t), int64_t argument);

void look_around(void);

#ifdef __cplusplus
}
#endif

#endif
