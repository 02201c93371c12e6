/* The shared library of managed code that main.cc uses. */
#ifndef CHAIN_H
#define CHAIN_H

#ifdef __cplusplus
extern "C" {
#endif

/* Builds a chain of `count` links, and adds up their numbers. */
long chain_sum(long count);

/* What the build defined. */
const char *chain_greeting(void);

#ifdef __cplusplus
}
#endif

#endif
