#pragma once
// Linked into a program, it replaces GLib's g_log, also for the libraries that the program loads.
// There is nothing to call.
