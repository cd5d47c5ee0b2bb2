// SPDX-License-Identifier: Apache-2.0
// Translated texts, from the catalogue of all programs, and untrusted text made safe to show.
import Gettext from 'gettext';

import {fill, limitWindows} from './states.mjs';

export {fill};

const domain = Gettext.domain('chappie');

export const _ = domain.gettext;
export const ngettext = domain.ngettext;

// The catalogue has the sentences of the service as one text: see scripts/messages.
const KEYS = 'keys\u0004en';

/** A sentence of the service in the user's language. Any other text, such as the words of a server, stays as it is. */
export const translated = message => _(KEYS).split('\n').includes(message) ? _(message) : message;

/** A number of bytes, human-readable. */
export function bytes(count) {
    if (count < 1000)
        return fill(ngettext('%s byte', '%s bytes', count), count);
    const [value, unit] = count < 1e6 ? [count / 1e3, 'kB'] : count < 1e9 ? [count / 1e6, 'MB'] : [count / 1e9, 'GB'];
    return `${value.toLocaleString(undefined, {maximumFractionDigits: 1})} ${unit}`;
}

// Control, bidirectional and zero-width characters could hide a part of what is approved.
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029\u3164\u115f\u1160]/gu;

/** The text with invisible characters escaped. */
export const visible = text => text.replace(HIDDEN, character =>
    `\\u{${character.codePointAt(0).toString(16)}}`);

/** A text without control characters, which Pango rejects, and which terminals may obey. */
export const printable = text => text.replace(/[^\P{Cc}\n\t]/gu, '');

/** The first `length` UTF-16 units of a text, without a half of a character. */
export const head = (text, length) => text.slice(0, length).replace(/[\ud800-\udbff]$/, '');

/** The app ids and classes of terminals without a key that pastes the clipboard, as an extended regular expression. */
export const UNPASTEABLE = '^(u?xterm|u?rxvt)$';

/** An answer as it replaces a text, with the line breaks that the text ends with. A terminal gets none. */
export const replacement = (answer, text, isTerminal) =>
    printable(answer).replace(/\n+$/, '') + (isTerminal ? '' : text.match(/\n*$/)[0]);

/** What a search of the web does now; empty when the answer goes on. */
export function searchText({status, detail}) {
    if (status === 'reading')
        return fill(_('Reading %s…'), visible(detail));
    if (status !== 'searching')
        return '';
    return detail ? fill(_('Searching the web: %s…'), visible(detail)) : _('Searching the web…');
}

/** The windows of `limitWindows` with texts: `title`, `used`, and `resetText`, which is empty if it is unknown. */
export const limitTexts = (limits, formatTime) => limitWindows(limits).map(window => ({
    ...window,
    title: window.days ? fill(ngettext('%s-day limit', '%s-day limit', window.days), window.days)
        : window.hours ? fill(ngettext('%s-hour limit', '%s-hour limit', window.hours), window.hours) : _('Limit'),
    used: fill(_('%s %%'), window.percent).replace('%%', '%'),
    resetText: window.resets ? fill(_('Resets %s'), formatTime(window.resets)) : '',
}));
