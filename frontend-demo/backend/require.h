#ifndef LOX_BACKEND_REQUIRE_H
#define LOX_BACKEND_REQUIRE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define lox_require(condition, format, ...)                                                        \
  ((condition) ? (void)0                                                                           \
               : (fprintf(stderr, "%s:%d: %s: " format "\n", __FILE__, __LINE__, #condition,       \
                          ##__VA_ARGS__),                                                          \
                  abort()))

#endif
