// SPDX-License-Identifier: Apache-2.0
// Parses Markdown with marked, in linear time.
import {marked} from './library.js';

// marked compares each emphasis delimiter with those after it, and each line end with the whole text, which takes
// quadratic time. So the text of a block is parsed in pieces, which are larger than usual paragraphs.
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

/** The text as marked normalises it, so that token lengths match the text. */
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

/** Splits a block's text: a beginning of at most `length` characters that is a block too, and the rest. */
export function split(token, text, length) {
    // Split before a line that is not part of the last list item.
    let cut = 0;
    for (const line of text.slice(0, length).matchAll(/\n(?=\S)/g))
        cut = line.index + 1;
    if (!cut)
        cut = text.lastIndexOf('\n', length - 1) + 1 || text.lastIndexOf(' ', length - 1) + 1;
    if (cut < length / 2)
        cut = length;
    // Each part of a table repeats the head.
    const head = token.type === 'table' ? text.split('\n', 2).join('\n') + '\n' : '';
    return [text.slice(0, cut), cut > head.length ? head + text.slice(cut) : text.slice(cut)];
}
