// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads lines that the user types at the terminal on standard input, with editing and history, by libedit.
//
// A process has one editor. Only one thread may read; any thread may call the functions below it.

/// The event that ended a line.
typedef enum {
  /// A line was entered, or several lines were pasted.
  CHAPPIE_EDITOR_LINE,
  /// Ctrl-C on a line that was not empty.
  CHAPPIE_EDITOR_CLEARED,
  /// Ctrl-C, on an empty line.
  CHAPPIE_EDITOR_INTERRUPTED,
  /// Ctrl-D on an empty line, or the terminal was closed.
  CHAPPIE_EDITOR_ENDED,
} chappie_editor_event;

/// Creates the editor, after setlocale was called. The prompt is in UTF-8. Returns 0 when memory runs out.
int chappie_editor_start(const char *prompt);

/// Reads the next line into *line, as UTF-8 without its line end. The caller frees it. *line is NULL for every other
/// event.
chappie_editor_event chappie_editor_read(char **line);

/// Makes the reader return as if Ctrl-C was pressed.
void chappie_editor_interrupt(void);

/// Draws the line again in a window that has another size.
void chappie_editor_resize(void);

/// Sets what Tab completes to: lines in UTF-8 that begin with a slash, each followed by a line feed, those with a common
/// beginning side by side. After "/file ", "/image " and "/save " it completes the names of files.
void chappie_editor_complete(const char *lines);

/// Makes the reader return as if the input ended.
void chappie_editor_end(void);
