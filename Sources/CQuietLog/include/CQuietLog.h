#pragma once
// Linked into a program, this replaces GLib's g_log, also for the program's shared libraries. It has no functions to
// call.
