#include "heap/filler.h"

const struct spgc_type spgc_filler_word = {.size = SPGC_WORD_BYTES, .name = "filler of one word"};
const struct spgc_type spgc_filler_words = {.size = 2 * SPGC_WORD_BYTES,
                                            .element_size = SPGC_WORD_BYTES,
                                            .flags = SPGC_TYPE_TAIL,
                                            .name = "filler"};
