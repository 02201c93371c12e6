/* The shared library of managed code that main.cc uses. */
#ifndef CHAIN_H
#define CHAIN_H

#ifdef __cplusplus
extern "C" {
#endif

long chain_sum(long count);

const char *chain_greeting(void);

#ifdef __cplusplus
}
#endif

#endif
