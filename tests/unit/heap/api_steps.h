#ifndef SPGC_TESTS_API_STEPS_H
#define SPGC_TESTS_API_STEPS_H

#include "api_random.h"

void api_take_step(struct api_life *life);

/* Returns a slot with an object, or API_THINGS. */
unsigned api_some_slot(struct api_life *life);

void api_step_poll(struct api_life *life);
void api_step_interrupt(struct api_life *life);
void api_step_block(struct api_life *life);
void api_step_protect(struct api_life *life);
void api_step_profile(struct api_life *life);
void api_step_hoard(struct api_life *life);
void api_step_module(struct api_life *life);
void api_step_library(struct api_life *life);
void api_step_fiber(struct api_life *life);

void api_unregister_module(struct api_life *life);

#endif
