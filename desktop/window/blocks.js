// SPDX-License-Identifier: Apache-2.0
// Markdown as marked's tokens, in a time that grows with the length of the text alone.
import {marked} from './library.js';

// marked compares each mark of emphasis with those behind it, and each end of a line with the whole text. So a text
// inside a block is read in pieces of as many marks and characters as no usual paragraph has.
const MARKS = 128;
const LENGTH = 2048;

const mark = /[*_~`[<&!\\]+| {2,}\n?/g;

/** The length of the first piece of a text. */
function pieceLength(text) {
    mark.lastIndex = 0;
    for (let count = 0; count < MARKS; count++) {
        if (!mark.test(text))
            break;
        if (mark.lastIndex > LENGTH)
            break;
    }
    const end = Math.min(mark.lastIndex || text.length, LENGTH);
    if (end >= text.length)
        return text.length;
    const space = text.lastIndexOf(' ', end);
    return space > end / 2 ? space : end;
}

const Lexer = marked && class extends marked.Lexer {
    inlineTokens(text, tokens = []) {
        let rest = text;
        for (let length = pieceLength(rest); length < rest.length; length = pieceLength(rest)) {
            super.inlineTokens(rest.slice(0, length), tokens);
            rest = rest.slice(length);
        }
        return super.inlineTokens(rest, tokens);
    }
};

/** The text as marked reads it, so that the lengths of its tokens are those of the text. */
export const normalised = text => text.replace(/\r\n?/g, '\n').replace(/\0/g, '\ufffd')
    .replace(/^( *)(\t+)/gm, (_match, spaces, tabs) => spaces + '    '.repeat(tabs.length));

/** The blocks of a normalised text. `raw` of each is its part of the text. */
export function blocks(text) {
    try {
        if (Lexer)
            return new Lexer({...marked.defaults}).lex(text);
    } catch (error) {
        console.warn(`marked: ${error.message}`);
    }
    return text.split(/(?<=\n\n+)(?!\n)/).map(raw => ({type: 'plain', raw}));
}

/** The beginning of a block's text, of at most that length, which can be shown by itself, and the rest. */
export function split(token, text, length) {
    // Before a line that is not part of the last item of a list.
    let cut = 0;
    for (const line of text.slice(0, length).matchAll(/\n(?=\S)/g))
        cut = line.index + 1;
    if (!cut)
        cut = text.lastIndexOf('\n', length - 1) + 1 || text.lastIndexOf(' ', length - 1) + 1;
    if (cut < length / 2)
        cut = length;
    // Each part of a table has its head.
    const head = token.type === 'table' ? text.split('\n', 2).join('\n') + '\n' : '';
    return [text.slice(0, cut), cut > head.length ? head + text.slice(cut) : text.slice(cut)];
}
