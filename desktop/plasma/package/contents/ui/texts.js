// SPDX-License-Identifier: Apache-2.0
// Texts.
.pragma library

/** The text with %s, or %1$s and so on, replaced by the values. */
function fill(text, ...values) {
    let next = 0;
    return text.replace(/%(?:(\d)\$)?s/g, (_match, place) => String(values[place ? place - 1 : next++]));
}
