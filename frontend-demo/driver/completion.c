#include "frontend-demo/driver/completion.h"

#include <editline/readline.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The names that were found for the word at the cursor; each is malloc's. */
static struct {
  const struct lox_machine *machine;
  const char *word;
  size_t length; /* of the word */
  char **names;
  size_t count, next;
} completion;

static void forget_names(void) {
  for (; completion.next < completion.count; completion.next++)
    free(completion.names[completion.next]);
  free((void *)completion.names);
  completion.names = NULL;
  completion.count = completion.next = 0;
}

static bool is_found(const char *name) {
  for (size_t i = 0; i < completion.count; i++)
    if (strcmp(completion.names[i], name) == 0)
      return true;
  return false;
}

/* Leaves a name out when there is no memory for it. */
static void consider(void *context, const char *name) {
  if (strncmp(name, completion.word, completion.length) != 0 || is_found(name))
    return;
  size_t bytes = (completion.count + 1) * sizeof *completion.names;
  char **longer = (char **)realloc((void *)completion.names, bytes);
  if (longer == NULL)
    return;
  completion.names = longer;
  longer[completion.count] = strdup(name);
  completion.count += longer[completion.count] != NULL;
}

/* readline owns what it gets. `state` is 0 at the first call for a word. */
static char *next_name(const char *word, int state) {
  (void)word;
  (void)state;
  return completion.next < completion.count ? completion.names[completion.next++] : NULL;
}

static char **complete(const char *word, int start, int end) {
  bool is_property = start > 0 && rl_line_buffer[start - 1] == '.';
  completion.word = word;
  completion.length = (size_t)(end - start);
  lox_machine_visit_names(completion.machine,
                          is_property ? LOX_NAMES_PROPERTIES : LOX_NAMES_GLOBALS, consider, NULL);
  char **matches = rl_completion_matches(word, next_name);
  forget_names();
  rl_attempted_completion_over = 1; /* files are no names of Lox */
  return matches;
}

void lox_completion_begin(const struct lox_machine *machine) {
  static const char breaks[] = " \t\n\"+-*/<>=!(){}[],;.:";
  completion.machine = machine;
  rl_attempted_completion_function = machine != NULL ? complete : NULL;
  rl_basic_word_break_characters = breaks;
  rl_completion_append_character = '\0';
}
