// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CLineEditor.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

enum { INTERRUPT_KEY = 3, HISTORY_SIZE = 1000, LONGEST_PASTE = 1 << 20 };

/// The values that wake the reader. Each exceeds any number of those before.
enum { WAKE_INTERRUPT = 1, WAKE_RESIZE = 1 << 10, WAKE_END = 1 << 20 };

static struct {
  EditLine *el;
  HistoryW *history;
  FILE *output;
  wchar_t *prompt;
  int wake;
  /// Lines are returned in UTF-8. Input is decoded as UTF-8 when the locale supports only ASCII.
  locale_t utf8;
  int decodes_utf8;
  int marks_pastes;
  int takes_keys;
  chappie_editor_event event;
  /// What Tab completes to, each followed by a line feed. Any thread may replace it.
  wchar_t *completions;
  pthread_mutex_t lock;
} editor = {.lock = PTHREAD_MUTEX_INITIALIZER};

static wchar_t *prompt(EditLine *el) {
  (void)el;
  return editor.prompt;
}

// --- Keys ------------------------------------------------------------------------------------------------------------

static void mark_pastes(int on) {
  if (editor.marks_pastes) fputs(on ? "\033[?2004h" : "\033[?2004l", editor.output);
  fflush(editor.output);
}

/// Makes the terminal deliver Ctrl-C and Ctrl-Z as keys, in order with the others, and leave line ends of pasted text
/// unchanged. A process that Ctrl-\\ ended would leave the terminal as it is here. libedit resets the terminal's modes
/// for each line.
static void take_keys(void) {
  struct termios modes;
  editor.takes_keys = 1;
  if (tcgetattr(STDIN_FILENO, &modes) != 0) return;
  modes.c_cc[VINTR] = modes.c_cc[VSUSP] = modes.c_cc[VQUIT] = _POSIX_VDISABLE;
  modes.c_iflag &= ~(tcflag_t)(ICRNL | INLCR);
  tcsetattr(STDIN_FILENO, TCSANOW, &modes);
}

/// The number of rows from the start of the prompt to the cursor.
static int rows_above(int columns) {
  const LineInfoW *line = el_wline(editor.el);
  int row = 0, column = 0;
  for (const wchar_t *part = editor.prompt; part; part = part == editor.prompt ? line->buffer : NULL) {
    for (const wchar_t *next = part; part == editor.prompt ? *next : next < line->cursor; next++) {
      int width = *next == L'\t' ? 8 - column % 8 : wcwidth(*next);
      if (*next == L'\n' || column + width > columns) {
        row++;
        column = 0;
      }
      if (*next != L'\n' && width > 0) column += width;
    }
  }
  return row + (column >= columns);
}

/// Draws the line again in a window of another size. Terminals have wrapped the old one anew, with the cursor in it.
static void redraw(void) {
  struct winsize size = {0};
  el_resize(editor.el);
  if (ioctl(fileno(editor.output), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return;
  int rows = rows_above(size.ws_col);
  fputs("\r", editor.output);
  if (rows > 0) fprintf(editor.output, "\033[%dA", rows);
  fputs("\033[J", editor.output);
  el_wset(editor.el, EL_REFRESH);
}

/// Reads the next byte: returns 1, or 0 at the end of input. An interrupt is delivered as the Ctrl-C key.
static int next_byte(char *byte) {
  for (;;) {
    struct pollfd ready[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = editor.wake, .events = POLLIN}};
    if (poll(ready, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return 0;
    }
    eventfd_t count = 0;
    if (ready[1].revents && eventfd_read(editor.wake, &count) == 0) {
      if (count >= WAKE_END) return 0;
      if (count >= WAKE_RESIZE) redraw();
      if (count % WAKE_RESIZE == 0) continue;
      *byte = INTERRUPT_KEY;
      return 1;
    }
    ssize_t got = read(STDIN_FILENO, byte, 1);
    if (got == 1) return 1;
    if (got == 0 || (errno != EINTR && errno != EAGAIN)) return 0;
  }
}

static int next_key(EditLine *el, wchar_t *key) {
  (void)el;
  if (!editor.takes_keys) take_keys();
  mbstate_t state = {0};
  for (;;) {
    char byte;
    if (!next_byte(&byte)) return 0;
    locale_t before = editor.decodes_utf8 ? uselocale(editor.utf8) : NULL;
    size_t length = mbrtowc(key, &byte, 1, &state);
    if (before) uselocale(before);
    if (length <= 1) return 1;
    // Invalid sequences are dropped.
    if (length == (size_t)-1) memset(&state, 0, sizeof state);
  }
}

/// Handles Ctrl-C: leaves the line on the screen, followed by ^C, and discards it.
static unsigned char interrupt(EditLine *el, int key) {
  (void)key;
  const LineInfoW *line = el_wline(el);
  editor.event =
      line->lastchar == line->buffer ? CHAPPIE_EDITOR_INTERRUPTED : CHAPPIE_EDITOR_CLEARED;
  el_cursor(el, (int)(line->lastchar - line->cursor));
  el_winsertstr(el, L"^C");
  el_wpush(el, L"\n");
  return CC_REFRESH;
}

/// Handles Ctrl-Z: gives the terminal back, stops the job, and goes on with the line when the job does.
static unsigned char suspend(EditLine *el, int key) {
  (void)key;
  // The rest of the job is stopped first: this process must not stop before it has asked for that.
  if (signal(SIGTSTP, SIG_IGN) == SIG_IGN) return CC_ERROR;
  el_wset(el, EL_PREP_TERM, 0);
  mark_pastes(0);
  kill(0, SIGTSTP);
  signal(SIGTSTP, SIG_DFL);
  raise(SIGTSTP);
  el_wset(el, EL_PREP_TERM, 1);
  take_keys();
  mark_pastes(1);
  el_resize(el);
  el_wset(el, EL_REFRESH);
  return CC_NORM;
}

static unsigned char new_line(EditLine *el, int key) {
  (void)key;
  return el_winsertstr(el, L"\n") == 0 ? CC_REFRESH : CC_ERROR;
}

static int begins(const wchar_t *text, size_t length, const wchar_t *beginning) {
  size_t needed = wcslen(beginning);
  return length >= needed && wmemcmp(text, beginning, needed) == 0;
}

/// Completes the text before the cursor as far as all completions agree, up to the next space. If they do not, shows
/// how it can go on.
static unsigned char complete_from(EditLine *el, const wchar_t *completions) {
  const LineInfoW *line = el_wline(el);
  size_t typed = (size_t)(line->cursor - line->buffer), word = typed;
  while (word > 0 && line->buffer[word - 1] != L' ') word--;
  const wchar_t *first = NULL, *last = NULL;
  size_t common = 0, last_length = 0;
  int shows = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (const wchar_t *next = completions, *end; (end = wcschr(next, L'\n')); next = end + 1) {
      if ((size_t)(end - next) <= typed || wmemcmp(next, line->buffer, typed) != 0) continue;
      size_t length = typed + wcscspn(next + typed, L" \n");
      if (next[length] == L' ') length++;
      if (last && length == last_length && wmemcmp(next, last, length) == 0) continue;
      last = next;
      last_length = length;
      if (shows) fprintf(editor.output, "%.*ls  ", (int)(length - word), next + word);
      if (!first) {
        first = next;
        common = length;
      }
      while (common > length || wmemcmp(first, next, common) != 0) common--;
    }
    if (shows || !first || common > typed) break;
    shows = 1;
    last = NULL;
    fputs("\r\n", editor.output);
  }
  if (!first) return CC_ERROR;
  if (shows) {
    fputs("\r\n", editor.output);
    el_wset(el, EL_REFRESH);
    return CC_NORM;
  }
  for (size_t index = typed; index < common; index++)
    if (el_winsertstr(el, (wchar_t[]){first[index], L'\0'}) != 0) return CC_ERROR;
  return CC_REFRESH;
}

static unsigned char complete(EditLine *el, int key) {
  const LineInfoW *line = el_wline(el);
  size_t length = (size_t)(line->cursor - line->buffer);
  static const wchar_t *const with_file[] = {L"/file ", L"/image ", L"/save "};
  for (size_t index = 0; index < sizeof with_file / sizeof *with_file; index++)
    if (begins(line->buffer, length, with_file[index])) return _el_fn_complete(el, key);
  if (!begins(line->buffer, length, L"/")) return CC_ERROR;
  pthread_mutex_lock(&editor.lock);
  unsigned char result = editor.completions ? complete_from(el, editor.completions) : CC_ERROR;
  pthread_mutex_unlock(&editor.lock);
  return result;
}

/// Reads pasted text up to the end mark of bracketed paste. Line ends become part of the line.
static unsigned char paste(EditLine *el, int key) {
  static const wchar_t end[] = L"\033[201~";
  const size_t end_length = wcslen(end);
  (void)key;
  size_t length = 0, room = 256;
  wchar_t *text = malloc(room * sizeof *text);
  int whole = 0;
  while (text && length < LONGEST_PASTE && !whole) {
    wchar_t character;
    if (el_wgetc(el, &character) != 1 || character == INTERRUPT_KEY) break;
    if (length + 1 >= room) {
      wchar_t *more = realloc(text, (room *= 2) * sizeof *text);
      if (!more) break;
      text = more;
    }
    int after_return = length > 0 && text[length - 1] == L'\r';
    if (character == L'\n' && after_return) continue;
    text[length++] = character;
    whole = length >= end_length && wmemcmp(text + length - end_length, end, end_length) == 0;
  }
  unsigned char result = CC_ERROR;
  if (whole) {
    size_t kept = 0;
    for (size_t index = 0; index < length - end_length; index++) {
      wchar_t character = text[index] == L'\r' ? L'\n' : text[index];
      if (character >= L' ' || character == L'\n' || character == L'\t') text[kept++] = character;
    }
    text[kept] = L'\0';
    if (kept == 0 || el_winsertstr(el, text) == 0) result = CC_REFRESH;
  }
  free(text);
  return result;
}

// --- The editor ------------------------------------------------------------------------------------------------------

static void bind(const wchar_t *key, const wchar_t *function) {
  el_wset(editor.el, EL_BIND, key, function, NULL);
  // The alternative keymap is the command mode of vi.
  el_wset(editor.el, EL_BIND, L"-a", key, function, NULL);
}

static void bind_keys(void) {
  static const wchar_t *const keys[][2] = {
      {L"\\e[1~", L"ed-move-to-beg"}, {L"\\e[7~", L"ed-move-to-beg"},       {L"\\e[H", L"ed-move-to-beg"},
      {L"\\e[4~", L"ed-move-to-end"}, {L"\\e[8~", L"ed-move-to-end"},       {L"\\e[F", L"ed-move-to-end"},
      {L"\\e[1;5C", L"em-next-word"}, {L"\\e[1;5D", L"ed-prev-word"},       {L"\\e[3~", L"ed-delete-next-char"},
      {L"^R", L"em-inc-search-prev"}, {L"\\e\\r", L"chappie-new-line"},     {L"\\e\\n", L"chappie-new-line"},
      {L"^I", L"chappie-complete"},
  };
  for (size_t index = 0; index < sizeof keys / sizeof *keys; index++)
    el_wset(editor.el, EL_BIND, keys[index][0], keys[index][1], NULL);
}

static wchar_t *wide(const char *text) {
  size_t room = strlen(text) + 1;
  wchar_t *wide = calloc(room, sizeof *wide);
  locale_t before = uselocale(editor.utf8);
  if (wide && mbstowcs(wide, text, room) == (size_t)-1) *wide = L'\0';
  uselocale(before);
  return wide;
}

static char *narrow(const wchar_t *text, size_t length) {
  char *line = malloc(length * 4 + 1);
  if (!line) return NULL;
  locale_t before = uselocale(editor.utf8);
  mbstate_t state = {0};
  char *end = line;
  for (size_t index = 0; index < length; index++) {
    size_t size = wcrtomb(end, text[index], &state);
    if (size != (size_t)-1) end += size;
  }
  *end = '\0';
  uselocale(before);
  return line;
}

int chappie_editor_start(const char *prompt_text) {
  editor.utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
  editor.decodes_utf8 = MB_CUR_MAX == 1 && strcmp(setlocale(LC_CTYPE, NULL), "C") == 0;
  editor.wake = eventfd(0, EFD_CLOEXEC);
  // Standard output may be redirected; the user must still see the line.
  editor.output = isatty(STDOUT_FILENO) ? stdout : stderr;
  const char *terminal = getenv("TERM");
  editor.marks_pastes = isatty(fileno(editor.output)) && terminal && strcmp(terminal, "dumb") != 0;
  if (!editor.utf8 || editor.wake < 0 || !(editor.prompt = wide(prompt_text))) return 0;

  editor.el = el_init("chappie", stdin, editor.output, stderr);
  editor.history = history_winit();
  if (!editor.el || !editor.history) return 0;
  HistEventW event;
  history_w(editor.history, &event, H_SETSIZE, HISTORY_SIZE);
  el_wset(editor.el, EL_HIST, history_w, editor.history);
  el_wset(editor.el, EL_PROMPT, prompt);
  el_wset(editor.el, EL_GETCFN, next_key);
  el_wset(editor.el, EL_EDITOR, L"emacs");
  static const struct {
    const wchar_t *name, *help;
    unsigned char (*function)(EditLine *, int);
  } functions[] = {
      {L"chappie-interrupt", L"Clear the line", interrupt}, {L"chappie-suspend", L"Stop the job", suspend},
      {L"chappie-paste", L"Insert what is pasted", paste},  {L"chappie-complete", L"Complete a command", complete},
      {L"chappie-new-line", L"Begin another line", new_line},
  };
  for (size_t index = 0; index < sizeof functions / sizeof *functions; index++)
    el_wset(editor.el, EL_ADDFN, functions[index].name, functions[index].help, functions[index].function);
  bind_keys();
  // libedit binds these bytes as Alt keys when the locale has no such letters.
  for (wchar_t letter = 0xA0; editor.decodes_utf8 && letter <= 0xFF; letter++)
    el_wset(editor.el, EL_BIND, (wchar_t[]){letter, L'\0'}, L"ed-insert", NULL);
  // The user's key bindings, in ~/.editrc.
  el_source(editor.el, NULL);
  bind(L"^C", L"chappie-interrupt");
  bind(L"^Z", L"chappie-suspend");
  bind(L"\\e[200~", L"chappie-paste");
  return 1;
}

chappie_editor_event chappie_editor_read(char **line) {
  *line = NULL;
  editor.event = CHAPPIE_EDITOR_LINE;
  editor.takes_keys = 0;
  // The size of the window may have changed.
  el_resize(editor.el);
  mark_pastes(1);
  int length = 0;
  const wchar_t *text = el_wgets(editor.el, &length);
  mark_pastes(0);
  if (editor.event != CHAPPIE_EDITOR_LINE) return editor.event;
  if (!text || length < 1) return CHAPPIE_EDITOR_ENDED;
  if (text[length - 1] == L'\n') length--;

  if (wcsspn(text, L" \t\n") < (size_t)length) {
    HistEventW event;
    history_w(editor.history, &event, H_ENTER, text);
  }
  *line = narrow(text, (size_t)length);
  return *line ? CHAPPIE_EDITOR_LINE : CHAPPIE_EDITOR_ENDED;
}

void chappie_editor_interrupt(void) { eventfd_write(editor.wake, WAKE_INTERRUPT); }

void chappie_editor_resize(void) { eventfd_write(editor.wake, WAKE_RESIZE); }

void chappie_editor_complete(const char *lines) {
  wchar_t *completions = wide(lines);
  pthread_mutex_lock(&editor.lock);
  free(editor.completions);
  editor.completions = completions;
  pthread_mutex_unlock(&editor.lock);
}

void chappie_editor_end(void) { eventfd_write(editor.wake, WAKE_END); }
