#!/usr/bin/gjs -m
// SPDX-License-Identifier: Apache-2.0
// Loads every module of desktop/window, without a display: wrong syntax, and an import of what is not there, are errors.
import '../desktop/window/application.js';
