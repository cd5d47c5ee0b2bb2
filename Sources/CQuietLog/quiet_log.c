#include <stdarg.h>
#include <stdlib.h>

// libsoup logs a debug message for each WebSocket frame. g_log formats the message before it checks whether debug
// messages are enabled, which takes a fifth of the processor time of a fast response. This replacement checks first.

enum { LEVEL_DEBUG = 1 << 7 };

extern void g_logv(const char *domain, int level, const char *format, va_list arguments);

static int is_wanted;

__attribute__((constructor)) static void look(void) {
  is_wanted = getenv("G_MESSAGES_DEBUG") != NULL;
}

void g_log(const char *domain, int level, const char *format, ...) {
  if (level == LEVEL_DEBUG && !is_wanted) return;
  va_list arguments;
  va_start(arguments, format);
  g_logv(domain, level, format, arguments);
  va_end(arguments);
}
