// SPDX-License-Identifier: Apache-2.0
// Texts of results, on one line.
/** The maximum length of a line of results, in characters. */
const MAXIMUM_LENGTH = 120;

/** The text with each run of whitespace and control characters replaced by one space. */
export const flat = text => text.replace(/[\s\p{Cc}]+/gu, ' ').trim();

/** Untrusted text for a line of results: shortened, and without bidirectional control characters. */
export function oneLine(text) {
    const line = flat(text.replace(/[\u202a-\u202e\u2066-\u2069]/g, ''));
    const letters = [...line.slice(0, 2 * MAXIMUM_LENGTH + 2)];
    return letters.length > MAXIMUM_LENGTH ? `${letters.slice(0, MAXIMUM_LENGTH - 1).join('')}…` : line;
}
