// SPDX-License-Identifier: Apache-2.0
#pragma once
// Linked into a program, this replaces free and realloc, also for the program's shared libraries. It has no functions
// to call.
