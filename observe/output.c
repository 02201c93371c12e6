#include "observe/output.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/fatal.h"
#include "support/file_name.h"
#include "support/output_place.h"
#include "support/write_all.h"

static const char LINK_FORMAT[] = SPGC_OWN_FILES "fd/%d";

static int folder_length(const char *name) {
  const char *slash = strrchr(name, '/');
  return slash == NULL ? 0 : (int)(slash - name + 1);
}

/* Absolute, because the program may change its working directory. If a folder cannot be resolved,
 * opening the file reports why. */
static int take_path(char destination[PATH_MAX], const char *path) {
  char folder[PATH_MAX];
  int length = folder_length(path);
  snprintf(folder, sizeof folder, "%.*s", length == 0 ? 1 : length, length == 0 ? "." : path);
  char *resolved = realpath(folder, NULL);
  int written = resolved != NULL ? snprintf(destination, PATH_MAX, "%s/%s", resolved, path + length)
                                 : snprintf(destination, PATH_MAX, "%s", path);
  free(resolved);
  return written < PATH_MAX ? 0 : ENAMETOOLONG;
}

static bool name_temporary(struct spgc_output *output) {
  uint64_t number = (uint64_t)getpid();
  while (getrandom(&number, sizeof number, 0) < 0 && errno == EINTR)
    ;
  int length = snprintf(output->temporary, PATH_MAX, "%.*s.spgc-%016" PRIx64,
                        folder_length(output->destination), output->destination, number);
  return length > 0 && length < PATH_MAX;
}

static bool fail(struct spgc_output *output, int error) {
  output->error = error;
  return false;
}

/* Opening a pipe waits for a reader if `waits`; otherwise it fails without one. */
static bool open_in_place(struct spgc_output *output, bool waits) {
  output->is_in_place = true;
  output->file = open(output->destination,
                      O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY | (waits ? 0 : O_NONBLOCK));
  if (output->file < 0)
    return fail(output, errno);
  if (!waits)
    fcntl(output->file, F_SETFL, 0); /* writing waits */
  return true;
}

/* A file without a name vanishes with the process, however it ends. It is named through /proc. Not
 * every file system has such files. */
static int open_nameless(const struct spgc_output *output) {
  char folder[PATH_MAX];
  int length = folder_length(output->destination);
  snprintf(folder, sizeof folder, "%.*s", length, output->destination);
  if (access(SPGC_OWN_FILES "fd", X_OK) != 0)
    return -1;
  return open(length == 0 ? "." : folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
}

static bool open_beside(struct spgc_output *output) {
  output->file = open_nameless(output);
  if (output->file >= 0)
    return true;
  if (!name_temporary(output))
    return fail(output, ENAMETOOLONG);
  output->file = open(output->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  return output->file >= 0 || fail(output, errno);
}

static bool open_named(struct spgc_output *output) {
  int length = snprintf(output->temporary, PATH_MAX, "%s.%d.part", output->destination, getpid());
  if (length < 0 || length >= PATH_MAX)
    return fail(output, ENAMETOOLONG);
  unlink(output->temporary);
  output->file = open(output->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  return output->file >= 0 || fail(output, errno);
}

static bool take_over_status(struct spgc_output *output, const struct stat *replaced) {
  (void)!fchown(output->file, (uid_t)-1, replaced->st_gid);
  if (fchmod(output->file, replaced->st_mode & 0777) != 0)
    return fail(output, errno);
  (void)!fchown(output->file, replaced->st_uid, (gid_t)-1);
  return true;
}

static bool open_instead(struct spgc_output *output, const struct spgc_output_place *place,
                         bool (*open_temporary)(struct spgc_output *output)) {
  int error = take_path(output->destination, place->path);
  if (error != 0)
    return fail(output, error);
  if (!open_temporary(output))
    return false;
  if (place->exists && !take_over_status(output, &place->status)) {
    spgc_output_discard(output);
    return false;
  }
  return true;
}

static bool begin(struct spgc_output *output, const char *path,
                  bool (*open_temporary)(struct spgc_output *output), bool waits) {
  struct spgc_output_place place;
  output->file = -1;
  output->error = 0;
  output->is_in_place = false;
  output->bytes = output->used = 0;
  output->temporary[0] = '\0';
  if (!spgc_file_name_expand(output->destination, path))
    return fail(output, *path == '\0' ? ENOENT : ENAMETOOLONG);
  int error = spgc_output_place_find(&place, output->destination);
  if (error != 0)
    return fail(output, error);
  bool is_open = place.path != NULL ? open_instead(output, &place, open_temporary)
                                    : open_in_place(output, waits);
  free(place.path);
  return is_open;
}

bool spgc_output_begin(struct spgc_output *output, const char *path) {
  return begin(output, path, open_beside, true);
}

bool spgc_output_begin_named(struct spgc_output *output, const char *path) {
  return begin(output, path, open_named, false);
}

void spgc_output_flush(struct spgc_output *output) {
  if (output->error != 0)
    output->used = 0; /* writes after an error go nowhere */
  if (output->used == 0)
    return;
  output->error = spgc_write_all(output->file, output->buffer, output->used);
  output->used = 0;
}

void spgc_output_write(struct spgc_output *output, const void *bytes, size_t size) {
  const char *next = bytes;
  output->bytes += size;
  while (size != 0) {
    size_t space = sizeof output->buffer - output->used, part = size < space ? size : space;
    memcpy(output->buffer + output->used, next, part);
    output->used += part;
    next += part;
    size -= part;
    if (output->used == sizeof output->buffer)
      spgc_output_flush(output);
  }
}

void spgc_output_print(struct spgc_output *output, const char *format, ...) {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof text)
    output->error = output->error != 0 ? output->error : EOVERFLOW;
  else
    spgc_output_write(output, text, (size_t)length);
}

/* While it is open. */
static int give_temporary_name(struct spgc_output *output) {
  char link[sizeof LINK_FORMAT + 12];
  if (output->temporary[0] != '\0')
    return 0;
  if (!name_temporary(output))
    return ENAMETOOLONG;
  snprintf(link, sizeof link, LINK_FORMAT, output->file);
  if (linkat(AT_FDCWD, link, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0)
    return 0;
  int error = errno;
  output->temporary[0] = '\0';
  return error;
}

static int close_file(struct spgc_output *output) {
  int file = output->file;
  output->file = -1;
  return close(file) == 0 || errno == EINTR ? 0 : errno;
}

static void remove_file(const struct spgc_output *output) {
  if (output->temporary[0] != '\0')
    unlink(output->temporary);
}

/* Closing may be the first call that reports a full disk, so it precedes the renaming. */
bool spgc_output_finish(struct spgc_output *output) {
  spgc_output_flush(output);
  if (output->error == 0 && !output->is_in_place)
    output->error = give_temporary_name(output);
  int error = close_file(output);
  if (output->error == 0)
    output->error = error;
  if (output->error == 0 && !output->is_in_place &&
      rename(output->temporary, output->destination) != 0)
    output->error = errno;
  if (output->error != 0)
    remove_file(output);
  return output->error == 0;
}

void spgc_output_discard(struct spgc_output *output) {
  close_file(output);
  remove_file(output);
}

enum spgc_result spgc_output_report(const struct spgc_output *output, const char *call,
                                    const char *path, struct spgc_error *error) {
  return spgc_error_set(error, SPGC_ERROR_SYSTEM, 0, "%s: cannot write %.300s: %s", call, path,
                        strerrordesc_np(output->error));
}
