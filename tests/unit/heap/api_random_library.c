/* Loaded and closed: a module with one root. */
#include "spgc/module.h"

__attribute__((visibility("default"))) extern struct spgc_ref api_random_root;
__attribute__((visibility("default"))) extern struct spgc_module api_random_module;

struct spgc_ref api_random_root;
static const struct spgc_global_roots roots[] = {{&api_random_root, 1}};
struct spgc_module api_random_module = {
    .version = SPGC_MODULE_VERSION, .roots = roots, .root_count = 1, .name = "api-random-library"};
