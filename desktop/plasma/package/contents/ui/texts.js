// SPDX-License-Identifier: Apache-2.0
// Texts, and answers made safe to show.
.pragma library

/** The text with %s, or %1$s and so on, replaced by the values. */
function fill(text, ...values) {
    let next = 0;
    return text.replace(/%(?:(\d)\$)?s/g, (_match, place) => String(values[place ? place - 1 : next++]));
}

// Code blocks, inline code, strong text, headings. One expression matches them all, so that they never nest.
const EMPHASIS = /^```[^\n]*\n([^]*?)(?:^```$|$(?![^]))|`([^`\n]+)`|\*\*([^*\n]+)\*\*|^#{1,6} +([^\n]+)$/gm;
const ESCAPED = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};

/**
 * An answer as rich text: emphasis and code of its Markdown, and everything else verbatim. No tag of the answer itself
 * remains, so it can neither load a picture nor have a link.
 */
function markup(answer) {
    const escaped = answer.replace(/[&<>"]/g, character => ESCAPED[character]);
    const emphasised = escaped.replace(EMPHASIS, (_match, block, code = block, strong, heading = strong) =>
        code === undefined ? `<b>${heading}</b>` : `<span style="font-family: monospace">${code.replace(/\n+$/, '')}</span>`);
    return `<span style="white-space: pre-wrap">${emphasised}</span>`;
}
