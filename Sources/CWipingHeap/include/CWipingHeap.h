#pragma once
// Linked into a program, it replaces the program's free and realloc, also for the libraries that the program loads.
// There is nothing to call.
