#!/usr/bin/gjs -m
// SPDX-License-Identifier: Apache-2.0
// Loads every module of desktop/window, desktop/search and desktop/shared, without a display, to find syntax errors and missing
// imports.
import '../desktop/search/caller.js';
import '../desktop/search/gnome-shell.js';
import '../desktop/search/krunner.js';
import '../desktop/search/idle-exit.js';
import '../desktop/search/search.js';
import '../desktop/window/application.js';
