// SPDX-License-Identifier: Apache-2.0
// Answers made safe and short enough to show.
import {markdown} from './shared/markdown.mjs';
import {head, printable} from './shared/text.js';

/** The beginning of an answer, short enough to be laid out in a few milliseconds. */
export const beginning = answer => head(answer, 8000).split('\n', 400).join('\n');

/** An answer as Pango markup. Pango wraps very long words slowly. */
export const markup = answer => markdown(printable(answer)).replace(/[^\s<>&;]{40}/gu, '$&\u200b');
