#include "codegen/ir/library.h"

#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "codegen/ir/ir.h"

/* Ordered by name. Letters for the result and the parameters: v void, i i32, l i64, f float, d
 * double, x long double; p pointer to memory of C; r pointer to memory that is only read, which may
 * be an object; k pointer that is returned or kept; a dot: variable arguments. */
static const char functions[] =
    "_Exit vi;_IO_getc ip;_IO_putc iip;_ZdaPv vp;_ZdaPvm vpl;_ZdlPv vp;_ZdlPvm vpl;"
    "__assert_fail vppip;__ctype_b_loc p;__ctype_get_mb_cur_max l;__ctype_tolower_loc p;"
    "__ctype_toupper_loc p;__dprintf_chk iiir.;__errno_location p;__fgets_chk pplip;__finite id;"
    "__fpclassify id;__fprintf_chk ipir.;__fread_chk lplllp;__isinf id;__isnan id;"
    "__memcpy_chk pppll;__memmove_chk pppll;__mempcpy_chk pppll;__memset_chk ppill;"
    "__printf_chk iir.;__read_chk lipll;__signbit id;__snprintf_chk iplilr.;__sprintf_chk ipilr.;"
    "__stpcpy_chk pppl;__stpncpy_chk pppll;__strcat_chk pppl;__strcpy_chk pppl;"
    "__strncat_chk pppll;__strncpy_chk pppll;__vfprintf_chk ipipp;__vprintf_chk iipp;"
    "__vsnprintf_chk iplilpp;__vsprintf_chk ipilpp;_exit vi;abort v;abs ii;access ipi;acos dd;"
    "acosh dd;aligned_alloc pll;asctime pp;asin dd;asinh dd;asprintf ipp.;atan dd;atan2 ddd;"
    "atanh dd;atof dr;atoi ir;atol lr;atoll lr;bcmp irrl;bcopy vppl;bzero vpl;calloc pll;cbrt dd;"
    "ceil dd;cfree vp;chdir ip;chmod ipi;chown ipii;clearerr vp;clock l;clock_getres iip;"
    "clock_gettime iip;close ii;closedir ip;copysign ddd;cos dd;cosh dd;creat ipi;ctime pp;"
    "difftime dll;dprintf iir.;drand48 d;drem ddd;dup ii;dup2 iii;erf dd;erfc dd;exp dd;exp10 dd;"
    "exp2 dd;explicit_bzero vpl;expm1 dd;fabs dd;fclose ip;fcntl iii.;fcntl64 iii.;fdim ddd;"
    "fdopen pip;feof ip;feof_unlocked ip;ferror ip;ferror_unlocked ip;fflush ip;"
    "fflush_unlocked ip;ffs ii;ffsl il;ffsll il;fgetc ip;fgetc_unlocked ip;fgetpos ipp;"
    "fgets ppip;fgets_unlocked ppip;fileno ip;finite id;flockfile vp;floor dd;fma dddd;fmax ddd;"
    "fmin ddd;fmod ddd;fopen ppp;fopen64 ppp;fprintf ipr.;fputc iip;fputc_unlocked iip;fputs irp;"
    "fputs_unlocked irp;fread lpllp;fread_unlocked lpllp;free vp;freopen pppp;frexp ddp;"
    "fscanf ipp.;fseek ipli;fseeko ipli;fsetpos ipp;fstat iip;fsync ii;ftell lp;ftello lp;"
    "ftruncate iil;ftrylockfile ip;funlockfile vp;fwrite lrllp;fwrite_unlocked lrllp;getc ip;"
    "getc_unlocked ip;getchar i;getchar_unlocked i;getcwd ppl;getegid i;getenv pp;geteuid i;"
    "getgid i;gethostname ipl;getline lppp;getpid i;getppid i;gets pp;gettimeofday ipp;getuid i;"
    "gmtime pp;gmtime_r ppp;htonl ii;hypot ddd;ilogb id;index kki;ioctl iil.;isalnum ii;"
    "isalpha ii;isascii ii;isatty ii;isblank ii;iscntrl ii;isdigit ii;isgraph ii;isinf id;"
    "islower ii;isnan id;isprint ii;ispunct ii;isspace ii;isupper ii;isxdigit ii;labs ll;"
    "ldexp ddi;lgamma dd;link ipp;llabs ll;llrint ld;llround ld;localeconv p;localtime pp;"
    "localtime_r ppp;log dd;log10 dd;log1p dd;log2 dd;logb dd;lrint ld;lround ld;lseek lili;"
    "lseek64 lili;lstat ipp;malloc pl;malloc_usable_size lp;memalign pll;memccpy kkkil;"
    "memchr kkil;memcmp irrl;memcpy kkkl;memmem kklkl;memmove kkkl;mempcpy kkkl;memrchr kkil;"
    "memset kkil;mkdir ipi;mktime lp;modf ddp;nan dp;nearbyint dd;nextafter ddd;ntohl ii;"
    "open ipi.;open64 ipi.;opendir pp;perror vp;pipe ip;posix_memalign ipll;pow ddd;pread lipll;"
    "pread64 lipll;printf ir.;putc iip;putc_unlocked iip;putchar ii;putchar_unlocked ii;"
    "putenv ip;puts ir;pwrite lipll;pwrite64 lipll;rand i;random l;rawmemchr kki;read lipl;"
    "readdir pp;readlink lppl;realloc ppl;realpath ppp;remainder ddd;remove ip;remquo dddp;"
    "rename ipp;rewind vp;rindex kki;rint dd;rmdir ip;round dd;roundeven dd;scalbln ddl;"
    "scalbn ddi;scanf ip.;secure_getenv pp;setbuf vpp;setenv ippi;setlinebuf vp;setvbuf ippil;"
    "sigemptyset ip;sigfillset ip;sin dd;sincos vdpp;sinh dd;snprintf iplr.;sprintf ipr.;sqrt dd;"
    "srand vi;srandom vi;sscanf irp.;stat ipp;stpcpy kkk;stpncpy kkkl;strcasecmp irr;"
    "strcasestr kkk;strcat kkk;strchr kki;strchrnul kki;strcmp irr;strcoll irr;strcpy kkk;"
    "strcspn lrr;strdup pp;strerror pi;strftime lplpp;strlcat lppl;strlcpy lppl;strlen lr;"
    "strncasecmp irrl;strncat kkkl;strncmp irrl;strncpy kkkl;strndup ppl;strnlen lrl;strpbrk kkk;"
    "strrchr kki;strsep kkk;strspn lrr;strstr kkk;strtod dkp;strtof fkp;strtok kkk;strtok_r kkkk;"
    "strtol lkpi;strtold xkp;strtoll lkpi;strtoul lkpi;strtoull lkpi;strxfrm lppl;symlink ipp;"
    "syslog vir.;tan dd;tanh dd;tgamma dd;time lp;timegm lp;times lp;tmpfile p;tmpnam pp;"
    "toascii ii;tolower ii;toupper ii;trunc dd;truncate ipl;tzset v;umask ii;uname ip;ungetc iip;"
    "unlink ip;unsetenv ip;utime ipp;utimes ipp;valloc pl;vasprintf ippp;vdprintf iipp;"
    "vfprintf ippp;vfscanf ippp;vprintf ipp;vsnprintf iplpp;vsprintf ippp;vsscanf ippp;"
    "wcschr kki;wcscmp irr;wcslen lr;wcsncmp irrl;wcsnlen lrl;wmemchr kkil;wmemcmp irrl;"
    "wmemcpy kkkl;wmemmove kkkl;write lipl;";

enum { LONGEST_NAME = 31 };

/* A hash table of starts of functions, plus 1, because many phases look up each call. */
enum { SLOTS = 2048 };
static uint16_t slots[SLOTS];
_Static_assert(sizeof functions <= UINT16_MAX, "a start fits a slot");

static size_t first_slot(const char *name, size_t length) {
  uint32_t hash = 0;
  for (size_t i = 0; i < length; i++)
    hash = 31 * hash + (unsigned char)name[i];
  return hash % SLOTS;
}

static void fill_slots(void) {
  for (const char *at = functions; *at != '\0'; at = strchr(at, ';') + 1) {
    size_t slot = first_slot(at, strcspn(at, " "));
    while (slots[slot] != 0)
      slot = (slot + 1) % SLOTS;
    slots[slot] = (uint16_t)(at - functions + 1);
  }
}

static const char *letters_of(const char *name) {
  static pthread_once_t filled = PTHREAD_ONCE_INIT;
  size_t length = strlen(name);
  pthread_once(&filled, fill_slots);
  for (size_t slot = first_slot(name, length); slots[slot] != 0; slot = (slot + 1) % SLOTS) {
    const char *function = functions + slots[slot] - 1;
    if (strncmp(function, name, length) == 0 && function[length] == ' ')
      return function + length + 1;
  }
  return NULL;
}

/* glibc's headers add versions of standards */
static const char *without_version(const char *name) {
  static const char *const prefixes[] = {"__isoc99_", "__isoc23_"};
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
      return name + strlen(prefixes[i]);
  return name;
}

/* Functions of doubles have siblings with the suffixes f and l; `number` becomes their type's
 * letter. */
static const char *type_of(LLVMValueRef function, char *number) {
  size_t length;
  const char *own = LLVMGetValueName2(function, &length);
  char name[LONGEST_NAME + 1];
  if (length == 0 || length > LONGEST_NAME)
    return NULL;
  memcpy(name, own, length);
  name[length] = '\0';
  const char *letters = letters_of(without_version(name));
  *number = 'd';
  if (letters == NULL && (name[length - 1] == 'f' || name[length - 1] == 'l')) {
    *number = name[length - 1] == 'f' ? 'f' : 'x';
    name[length - 1] = '\0';
    letters = letters_of(name);
    return letters != NULL && letters[1] == 'd' ? letters : NULL;
  }
  return letters;
}

static bool is_integer(LLVMTypeRef type, unsigned bits) {
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == bits;
}

static bool is_pointer(LLVMTypeRef type, char letter) {
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind &&
         (letter != 'p' || !spgc_ir_type_is_reference(type));
}

static bool type_is(LLVMTypeRef type, char letter) {
  enum { INT = 32, LONG = 64 };
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  switch (letter) {
  case 'v': return kind == LLVMVoidTypeKind;
  case 'i': return is_integer(type, INT);
  case 'l': return is_integer(type, LONG);
  case 'f': return kind == LLVMFloatTypeKind;
  case 'd': return kind == LLVMDoubleTypeKind;
  case 'x': return kind == LLVMX86_FP80TypeKind || kind == LLVMFP128TypeKind;
  default: return is_pointer(type, letter);
  }
}

static bool has_type(LLVMValueRef function, const char *letters, char number) {
  LLVMTypeRef type = LLVMGlobalGetValueType(function);
  unsigned count = LLVMCountParams(function);
  if (strcspn(letters, ".;") != count + 1 ||
      (LLVMIsFunctionVarArg(type) != 0) != (letters[count + 1] == '.'))
    return false;
  for (unsigned i = 0; i <= count; i++) {
    LLVMTypeRef part = i == 0 ? LLVMGetReturnType(type) : LLVMTypeOf(LLVMGetParam(function, i - 1));
    char letter = letters[i];
    if (letter == 'd')
      letter = number;
    if (!type_is(part, letter))
      return false;
  }
  return true;
}

static bool gives_kept_reference(LLVMValueRef function, const char *letters) {
  for (unsigned i = 0; i < LLVMCountParams(function); i++)
    if (letters[i + 1] == 'k' && spgc_ir_is_reference(LLVMGetParam(function, i)))
      return true;
  return false;
}

/* A body that is available externally is a copy for the optimiser. */
static bool is_defined_elsewhere(LLVMValueRef function) {
  return LLVMIsDeclaration(function) || LLVMGetLinkage(function) == LLVMAvailableExternallyLinkage;
}

enum library_call spgc_library_call_of(LLVMValueRef call) {
  char number;
  LLVMValueRef callee = spgc_ir_callee(call);
  if (callee == NULL || !is_defined_elsewhere(callee))
    return LIBRARY_NONE;
  const char *letters = type_of(callee, &number);
  if (letters == NULL || !has_type(callee, letters, number) ||
      spgc_ir_has_attribute(callee, "nobuiltin") || spgc_ir_has_attribute(call, "nobuiltin") ||
      LLVMGetCalledFunctionType(call) != LLVMGlobalGetValueType(callee))
    return LIBRARY_NONE;
  return gives_kept_reference(callee, letters) ? LIBRARY_KEEPS : LIBRARY_LEAF;
}
