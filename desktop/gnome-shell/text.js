// SPDX-License-Identifier: Apache-2.0
// Answers made safe and short enough to show.
import {markdown} from './shared/markdown.mjs';

/** The beginning of an answer, short enough to be laid out in a few milliseconds. */
export const beginning = answer => answer.slice(0, 8000).split('\n', 400).join('\n');

/** An answer as Pango markup. */
export function markup(answer) {
    // Pango rejects control characters, also as entities, and wraps very long words slowly.
    return markdown(answer.replace(/[^\P{Cc}\n\t]/gu, '')).replace(/[^\s<>&;]{40}/gu, '$&\u200b');
}
