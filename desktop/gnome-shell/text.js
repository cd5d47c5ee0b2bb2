// SPDX-License-Identifier: Apache-2.0
// Translated texts, and untrusted text made safe to show.
import Gettext from 'gettext';

import {markdown} from './markdown.mjs';

const domain = Gettext.domain('chappie');

export const _ = domain.gettext;
export const ngettext = domain.ngettext;

/** The text with %s, or %1$s and so on, replaced by the values. */
export function fill(text, ...values) {
    let next = 0;
    return text.replace(/%(?:(\d)\$)?s/g, (_match, place) => String(values[place ? place - 1 : next++]));
}

// Control, bidirectional and zero-width characters could hide a part of what is approved.
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029\u3164\u115f\u1160]/gu;

/** The text with invisible characters escaped. */
export const visible = text => text.replace(HIDDEN, character =>
    `\\u{${character.codePointAt(0).toString(16)}}`);

/** The beginning of an answer, short enough to be laid out in a few milliseconds. */
export const beginning = answer => answer.slice(0, 8000).split('\n', 400).join('\n');

/** An answer as Pango markup. */
export function markup(answer) {
    // Pango rejects control characters, also as entities, and wraps very long words slowly.
    return markdown(answer.replace(/[^\P{Cc}\n\t]/gu, '')).replace(/[^\s<>&;]{40}/gu, '$&\u200b');
}
