#include "support/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* "FOLDER/.spgc-RANDOM" and the suffix; NULL when out of memory. A file of that name belongs to
 * this process, because no other process draws the same 64 bits. */
static char *name_in(const char *folder, int folder_length, const char *suffix) {
  uint64_t number = (uint64_t)getpid();
  while (getrandom(&number, sizeof number, 0) < 0 && errno == EINTR)
    ;
  char *name;
  if (asprintf(&name, "%.*s/.spgc-%016" PRIx64 "%s", folder_length, folder, number, suffix) < 0)
    return NULL;
  return name;
}

static char *name_beside(const char *destination) {
  const char *slash = strrchr(destination, '/');
  if (slash == NULL)
    return name_in(".", 1, "");
  return name_in(destination, (int)(slash - destination), "");
}

/* Replaces the target of a symbolic link, not the link. */
static char *resolve(const char *destination) {
  char *resolved = realpath(destination, NULL);
  return resolved != NULL ? resolved : strdup(destination);
}

enum place { PLACE_BESIDE, PLACE_ITSELF, PLACE_REFUSED };

/* Renaming would replace a file that may not be written, so the permission is checked first. */
static enum place place_for(const char *destination) {
  struct stat status;
  if (stat(destination, &status) != 0)
    return PLACE_BESIDE;
  if (S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    return PLACE_REFUSED;
  }
  if (access(destination, W_OK) != 0)
    return PLACE_REFUSED;
  return S_ISREG(status.st_mode) ? PLACE_BESIDE : PLACE_ITSELF;
}

static int begin_in_place(struct spgc_output_file *output, const char *destination) {
  *output = (struct spgc_output_file){.path = strdup(destination), .is_in_place = true};
  return output->path != NULL ? 0 : ENOMEM;
}

static int begin_beside(struct spgc_output_file *output, const char *destination) {
  *output = (struct spgc_output_file){.destination = resolve(destination)};
  if (output->destination != NULL)
    output->path = name_beside(output->destination);
  if (output->path == NULL) {
    free(output->destination);
    return ENOMEM;
  }
  output->guard = spgc_file_guard_begin(output->path);
  return 0;
}

int spgc_output_file_begin(struct spgc_output_file *output, const char *destination) {
  switch (place_for(destination)) {
  case PLACE_BESIDE: return begin_beside(output, destination);
  case PLACE_ITSELF: return begin_in_place(output, destination);
  case PLACE_REFUSED: break;
  }
  return errno;
}

int spgc_output_file_begin_temporary(struct spgc_output_file *output, const char *suffix) {
  const char *chosen = getenv("TMPDIR");
  const char *folder = chosen != NULL && *chosen != '\0' ? chosen : "/tmp";
  *output = (struct spgc_output_file){.path = name_in(folder, (int)strlen(folder), suffix)};
  if (output->path == NULL)
    return ENOMEM;
  output->guard = spgc_file_guard_begin(output->path);
  return 0;
}

/* Closing the file may be the first call that reports a full disk. */
int spgc_output_file_write(const struct spgc_output_file *output, const char *bytes, size_t size) {
  int file = open(output->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return errno;
  int error = 0;
  for (size_t done = 0; done < size && error == 0;) {
    ssize_t count = write(file, bytes + done, size - done);
    if (count >= 0)
      done += (size_t)count;
    else if (errno != EINTR)
      error = errno;
  }
  if (close(file) != 0 && error == 0)
    error = errno;
  return error;
}

static void end(struct spgc_output_file *output) {
  if (!output->is_in_place)
    spgc_file_guard_end(&output->guard, output->path);
  free(output->path);
  free(output->destination);
}

int spgc_output_file_finish(struct spgc_output_file *output) {
  int error = 0;
  if (output->destination != NULL && rename(output->path, output->destination) != 0)
    error = errno;
  end(output);
  return error;
}

void spgc_output_file_discard(struct spgc_output_file *output) {
  end(output);
}

int spgc_output_file_put(const char *destination, const char *bytes, size_t size) {
  struct spgc_output_file output;
  int error = spgc_output_file_begin(&output, destination);
  if (error != 0)
    return error;
  error = spgc_output_file_write(&output, bytes, size);
  if (error == 0)
    return spgc_output_file_finish(&output);
  spgc_output_file_discard(&output);
  return error;
}

void spgc_output_file_size_limit_is_error(void) {
  signal(SIGXFSZ, SIG_IGN);
}
