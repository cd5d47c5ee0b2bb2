#!/usr/bin/gjs -m
// SPDX-License-Identifier: Apache-2.0
// Tests the Markdown of the extension, and the window's parser: usual text gives the same result as marked itself, and
// any text takes linear time. The time is measured in scanned characters.
import GLib from 'gi://GLib';
import System from 'system';

import {markdown} from '../desktop/shared/markdown.mjs';
import {numbered} from '../desktop/shared/sources.mjs';

import {blocks, split} from '../desktop/window/blocks.js';
import {marked} from '../desktop/window/library.js';

let failures = 0;
function check(what, isTrue) {
    if (isTrue)
        return;
    failures += 1;
    printerr(`markdown.js: ${what}`);
}

const cited = (start, end, url = 'https://example.org/') => ({url, title: '', start, end});
for (const [text, citations, shown] of [
    ['Zürich 🚌 so.', [cited(12, 12), cited(15, 15, 'https://example.net/'), cited(12, 12, 'https://example.net/')],
        'Zürich 🚌[1][2] so[2].'],
    ['so', [cited(2, 2), cited(0, 2), cited(1, 1, 'file:///a'), cited(undefined, undefined), cited(9, 9)], 'so[1]'],
    ['so', undefined, 'so'],
])
    check(`“${text}” has the numbers ${numbered(text, citations)}`, numbered(text, citations) === shown);

const read = name => new TextDecoder().decode(GLib.file_get_contents(
    `${GLib.path_get_dirname(GLib.filename_from_uri(import.meta.url)[0])}/desktop/${name}`)[1]);
const marks = markdown(read('answer.md'));
check(`the extension shows\n${marks}`, marks === read('answer.markup'));
check('what is open shows as it was written', markdown('**open, and `open') === '**open, and `open');
const wide = `|${'wide '.repeat(9)}|b|\n|-|-|\n|c|${'d'.repeat(20)}|`;
check('a wide table has straight columns', markdown(wide).includes(`\nc │ ${'d'.repeat(20)}`));
// However an answer is cut while it is streamed.
for (let end = 1; end < marks.length; end++) {
    const tags = markdown(read('answer.md').slice(0, end)).match(/<[^>]+>/g) ?? [];
    const open = [];
    for (const tag of tags)
        check(`${tags} of ${end} characters do not nest`, tag[1] === '/' ? tag.slice(2) === open.pop() : open.push(tag.slice(1)));
    check(`${open} of ${end} characters stay open`, open.length === 0);
}
if (!marked)
    System.exit(failures ? 1 : 0);

const plain = tokens => JSON.stringify(tokens);
const usual = [
    '# A *title*\n\nA **bold** and _slanted_ word, `code`, [a link](https://example.org "t") and ~~gone~~.\n',
    `${'A long paragraph with **some** marks, and no end. '.repeat(30)}\n`,
    `${Array.from({length: 60}, (_none, n) => `${n + 1}. An item with \`code\`\n   - and one *below* it\n`).join('')}`,
    '|a|b|\n|-|:-:|\n|*c*|`d`|\n|e|f|\n\n> quoted\n> text\n\n```js\nlet a = 1;\n```\n',
];
usual.forEach((text, index) => check(`usual text ${index} is read otherwise`, plain(blocks(text)) === plain(marked.lexer(text))));

// Each call scans the rest of the text.
let steps = 0;
const {emStrong} = marked.Tokenizer.prototype;
marked.Tokenizer.prototype.emStrong = function (...args) {
    steps += args[0].length;
    return emStrong.apply(this, args);
};
for (const unit of ['*a ', '_a ', '**a ', '*_a ', 'a* ', '<a *', '[a *', '`a *', '\\* ', 'a  \n *b']) {
    steps = 0;
    const text = `- ${unit.repeat(48 * 1024 / unit.length)}`;
    const raw = blocks(text).map(token => token.raw).join('');
    check(`'${unit}' loses text`, raw.trimEnd() === text.trimEnd());
    check(`'${unit}' takes ${steps} steps`, steps < 1024 * text.length);
}
marked.Tokenizer.prototype.emStrong = emStrong;

// Splitting of long blocks.
for (const [type, text] of [
    ['list', '- one *two*\n  three\n'.repeat(600)], ['list', `- ${'*a '.repeat(6000)}`], ['paragraph', 'word '.repeat(4000)],
    ['table', `|a|b|\n|-|-|\n${'|c|d|\n'.repeat(3000)}`], ['blockquote', '> quoted\n'.repeat(2000)], ['html', `<b${'x'.repeat(20000)}`],
]) {
    let [rest, shown, pieces] = [text, '', 0];
    while (rest.length > 8192 && pieces < 10) {
        const [front, after] = split({type}, rest, 8192);
        check(`a piece of a ${type} has ${front.length} characters`, front.length <= 8192 && front.length >= 4096);
        check(`the rest of a ${type} is as long as before`, after.length < rest.length);
        if (type === 'list' && text.includes('\n'))
            check('a list is not cut between its items', after.startsWith('- one'));
        if (type === 'table')
            check('the rest of a table has no head', blocks(after)[0].type === 'table');
        shown += type === 'table' && shown ? front.slice('|a|b|\n|-|-|\n'.length) : front;
        rest = after;
        pieces += 1;
    }
    shown += type === 'table' ? rest.slice('|a|b|\n|-|-|\n'.length) : rest;
    check(`pieces of a ${type} lose text`, shown === text);
}

System.exit(failures ? 1 : 0);
