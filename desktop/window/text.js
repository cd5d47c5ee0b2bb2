// SPDX-License-Identifier: Apache-2.0
// Translated texts, from the catalogue of all programs.
import Gettext from 'gettext';

const domain = Gettext.domain('chappie');

export const _ = domain.gettext;
export const ngettext = domain.ngettext;

/** The text with %s, or %1$s and so on, replaced by the values. */
export function fill(text, ...values) {
    let next = 0;
    return text.replace(/%(?:(\d)\$)?s/g, (_match, place) => String(values[place ? place - 1 : next++]));
}

/** A number of bytes, human-readable. */
export function bytes(count) {
    if (count < 1000)
        return fill(ngettext('%s byte', '%s bytes', count), count);
    const [value, unit] = count < 1e6 ? [count / 1e3, 'kB'] : count < 1e9 ? [count / 1e6, 'MB'] : [count / 1e9, 'GB'];
    return `${value.toLocaleString(undefined, {maximumFractionDigits: 1})} ${unit}`;
}
