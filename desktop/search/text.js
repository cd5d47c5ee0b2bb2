// SPDX-License-Identifier: Apache-2.0
// The texts for people, in their language, from the catalogue of the other programs.
import Gettext from 'gettext';

/** The letters that a line of results has room for. */
const WIDTH = 120;

export const _ = Gettext.domain('chappie').gettext;

/** The text with its %s replaced by the value. */
export const fill = (text, value) => text.replace('%s', () => value);

/** The text with one blank in place of controls, ends of lines and several blanks. */
export const flat = text => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** A text of somebody else for a line of results: not too long, and without what turns the direction of other text. */
export function oneLine(text) {
    const line = flat(text.replace(/[\u202a-\u202e\u2066-\u2069]/g, ''));
    const letters = [...line.slice(0, 2 * WIDTH + 2)];
    return letters.length > WIDTH ? `${letters.slice(0, WIDTH - 1).join('')}…` : line;
}
