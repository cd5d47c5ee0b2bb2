#pragma once

// Lines that a person types at the terminal on standard input, with editing and a history, by libedit.
//
// There is one editor in a process. Who reads a line reads it alone; the two calls that wake the reader may come from
// any thread.

/// What has ended the typing of a line.
typedef enum {
  /// A line was typed, or lines were pasted.
  CHAPPIE_EDITOR_LINE,
  /// Ctrl-C, on a line with something in it.
  CHAPPIE_EDITOR_CLEARED,
  /// Ctrl-C, on an empty line.
  CHAPPIE_EDITOR_INTERRUPTED,
  /// Ctrl-D on an empty line, or the terminal has gone.
  CHAPPIE_EDITOR_ENDED,
} chappie_editor_event;

/// Makes the editor; setlocale has been called. The prompt is in UTF-8. False where there is no memory for it.
int chappie_editor_start(const char *prompt);

/// Reads the next line, as UTF-8 without its end, into *line, which the caller frees; NULL for every other event.
chappie_editor_event chappie_editor_read(char **line);

/// Has the reader see Ctrl-C.
void chappie_editor_interrupt(void);

/// Has the reader see the end.
void chappie_editor_end(void);
