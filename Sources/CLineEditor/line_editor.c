#define _GNU_SOURCE
#include "CLineEditor.h"

#include <errno.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

enum { INTERRUPT_KEY = 3, HISTORY_SIZE = 1000, LONGEST_PASTE = 1 << 20 };

/// The values that wake the reader. WAKE_END exceeds any number of interrupts.
enum { WAKE_INTERRUPT = 1, WAKE_END = 1 << 20 };

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
} editor;

static wchar_t *prompt(EditLine *el) {
  (void)el;
  return editor.prompt;
}

// --- Keys ------------------------------------------------------------------------------------------------------------

/// Makes the terminal deliver Ctrl-C as a key, in order with the others, and leave line ends of pasted text unchanged.
/// libedit resets the terminal's modes for each line.
static void take_keys(void) {
  struct termios modes;
  editor.takes_keys = 1;
  if (tcgetattr(STDIN_FILENO, &modes) != 0) return;
  modes.c_cc[VINTR] = _POSIX_VDISABLE;
  modes.c_iflag &= ~(tcflag_t)(ICRNL | INLCR);
  tcsetattr(STDIN_FILENO, TCSANOW, &modes);
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
      {L"^R", L"em-inc-search-prev"},
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
  bind_keys();
  // libedit binds these bytes as Alt keys when the locale has no such letters.
  for (wchar_t letter = 0xA0; editor.decodes_utf8 && letter <= 0xFF; letter++)
    el_wset(editor.el, EL_BIND, (wchar_t[]){letter, L'\0'}, L"ed-insert", NULL);
  // The user's key bindings, in ~/.editrc.
  el_source(editor.el, NULL);
  el_wset(editor.el, EL_ADDFN, L"chappie-interrupt", L"Clear the line", interrupt);
  el_wset(editor.el, EL_ADDFN, L"chappie-paste", L"Insert what is pasted", paste);
  bind(L"^C", L"chappie-interrupt");
  bind(L"\\e[200~", L"chappie-paste");
  return 1;
}

chappie_editor_event chappie_editor_read(char **line) {
  *line = NULL;
  editor.event = CHAPPIE_EDITOR_LINE;
  editor.takes_keys = 0;
  // The size of the window may have changed.
  el_resize(editor.el);
  if (editor.marks_pastes) fputs("\033[?2004h", editor.output);
  int length = 0;
  const wchar_t *text = el_wgets(editor.el, &length);
  if (editor.marks_pastes) fputs("\033[?2004l", editor.output);
  fflush(editor.output);
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

void chappie_editor_end(void) { eventfd_write(editor.wake, WAKE_END); }
