/* Bodies run attached, on the runtime's thread. */
#ifndef SPGC_TESTS_LOX_RUNNING_H
#define SPGC_TESTS_LOX_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend-demo/runtime/abi.h"
#include "spgc/handle.h"

/* It must end without an error, and objects must move if SPGC_OPTIONS moves always. */
void lox_running(void (*body)(void));

void lox_running_body(void (*body)(void));

/* `body` must raise an error with this text. */
void lox_running_raises(void (*body)(void), const char *message);

void lox_running_once_raises(void (*body)(void), const char *message);

void lox_running_start(void);
void lox_running_stop(void);

bool lox_running_under_stress(void);

struct spgc_handle lox_text(const char *text);

struct spgc_slot lox_item(struct spgc_ref list, size_t index);

void lox_shows(struct spgc_ref value, const char *text);

#endif
