/* Lines for the interactive session: edited and remembered on a terminal, plain otherwise. */
#ifndef LOX_DRIVER_LINE_READER_H
#define LOX_DRIVER_LINE_READER_H

#include <stdbool.h>

#include "frontend-demo/syntax/ast.h"

struct lox_line_reader;

/* Loads the history: $XDG_STATE_HOME/lox_history when that variable is set, else ~/.lox_history. */
struct lox_line_reader *lox_line_reader_create(void);
void lox_line_reader_destroy(struct lox_line_reader *reader);

/* Reads the next lines until no string, parenthesis, bracket or brace is open. False at the end of
 * the input. The text is valid until the next call. */
bool lox_line_reader_next(struct lox_line_reader *reader, struct lox_string *entry);

#endif
