// SPDX-License-Identifier: Apache-2.0
// Texts for people, and answers made safe to show.
.pragma library

/** The text with %s, or %1$s and so on, replaced by the values. */
function fill(text, ...values) {
    let next = 0;
    return text.replace(/%(?:(\d)\$)?s/g, (_match, place) => String(values[place ? place - 1 : next++]));
}

// Blocks of code, code, strong text, headings. One expression finds them all, so that they never nest.
const EMPHASIS = /^```[^\n]*\n([^]*?)(?:^```$|$(?![^]))|`([^`\n]+)`|\*\*([^*\n]+)\*\*|^#{1,6} +([^\n]+)$/gm;
const ESCAPED = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};

/**
 * An answer as rich text: emphasis and code of its Markdown, and everything else as it was written. There are no other
 * tags than those here, so that an answer can never load a picture or have a link.
 */
function markup(answer) {
    const escaped = answer.replace(/[&<>"]/g, character => ESCAPED[character]);
    const emphasised = escaped.replace(EMPHASIS, (_match, block, code = block, strong, heading = strong) =>
        code === undefined ? `<b>${heading}</b>` : `<span style="font-family: monospace">${code.replace(/\n+$/, '')}</span>`);
    return `<span style="white-space: pre-wrap">${emphasised}</span>`;
}
