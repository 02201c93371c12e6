/* Running test bodies as Lox code runs: on the runtime's thread, attached to the collector. */
#ifndef SPGC_TESTS_LOX_RUNNING_H
#define SPGC_TESTS_LOX_RUNNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend-demo/runtime/abi.h"
#include "spgc/handle.h"

/* Starts the runtime, runs `body` once, stops the runtime. Fails the test unless the body ended
 * without an error, and, when SPGC_OPTIONS asks for objects to move always, unless some did. */
void lox_running(void (*body)(void));

/* Like lox_running, on a started runtime. */
void lox_running_body(void (*body)(void));

/* Runs `body` on a started runtime and fails the test unless it raises an error whose text is
 * `message`. */
void lox_running_raises(void (*body)(void), const char *message);

/* For a single error: starts the runtime, expects the error, stops. */
void lox_running_once_raises(void (*body)(void), const char *message);

void lox_running_start(void);
void lox_running_stop(void);

/* Whether the collector moves objects at every allocation. */
bool lox_running_under_stress(void);

/* A string value of C text, in a handle of the innermost scope. */
struct spgc_handle lox_text(const char *text);

/* Where the list holds the item at `index`; fails the test if there is no such item. */
struct spgc_slot lox_item(struct spgc_ref list, size_t index);

/* Fails the test unless the value shows as `text`. */
void lox_shows(struct spgc_ref value, const char *text);

#endif
