// SPDX-License-Identifier: Apache-2.0
// The Markdown of an answer as tags that Pango and Qt share: <b>, <i>, <s> and <tt>. Everything else is escaped, so an
// answer can neither load a picture nor have a link. It is read line by line: a menu shows text, and the window has
// the tables and the nesting. The applet for Plasma shares this file.

const ESCAPED = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};
const escape = text => text.replace(/[&<>"]/g, character => ESCAPED[character]);

// Deeper nesting is shown as it is written.
const MAXIMUM_DEPTH = 4;
// The columns of a table that fit into the extension's menu.
const MAXIMUM_COLUMNS = 44;
// Each part has a bound, so that marks without an end take linear time. Qt's expressions cannot look behind, so words
// are matched too: the underscores of a name are no marks.
const INLINE = new RegExp([
    '\\\\([!-/:-@[-`{-~])',
    '(`{1,3})(?!`)([^\\n]{1,500}?)\\2(?!`)',
    '!?\\[([^\\]\\n]{0,300})\\]\\(<?([^()<>\\s]{0,500})>?(?:\\s+"[^"\\n]{0,200}")?\\)',
    '<(https?:[^<>\\s]{1,500})>',
    '(\\*\\*|__|~~)(?=\\S)([^\\n]{0,1000}?\\S)\\7(?!\\*)',
    '(\\*(?=[^\\s*_])([^\\n]{0,500}?[^\\s*_])\\*(?![\\w*])|_(?=[^\\s*_])([^\\n]{0,500}?[^\\s*_])_(?![\\w_]))',
    '\\w+',
    '[^]',
].join('|'), 'g');

function inline(text, depth = 0) {
    if (depth === MAXIMUM_DEPTH)
        return escape(text);
    const inner = part => inline(part, depth + 1);
    return text.replace(INLINE, (match, mark, _ticks, code, name, address, link, double, strong, slanted) => {
        if (mark !== undefined)
            return escape(mark);
        if (code !== undefined)
            return `<tt>${escape(code.length > 2 ? code.replace(/^ (.*) $/, '$1') : code)}</tt>`;
        if (name !== undefined) {
            // A name that is the host, as those of sources are, hides nothing that matters.
            const host = /^https?:\/\/([^/?#]+)/i.exec(address)?.[1];
            return host && name !== address && name !== host ? `${inner(name)} (${escape(address)})` : inner(name);
        }
        if (strong !== undefined)
            return double === '~~' ? `<s>${inner(strong)}</s>` : `<b>${inner(strong)}</b>`;
        if (slanted !== undefined)
            return `<i>${inner(slanted.slice(1, -1))}</i>`;
        return escape(link ?? match);
    });
}

const isDelimiter = row => /^[\s|:-]+$/.test(row) && row.includes('|') && row.includes('-');
const cells = row => row.trim().replace(/^\||\|$/g, '').split('|').map(cell => cell.trim());
// Hanzi, kana and emoji are twice as wide as Latin letters.
const width = cell => [...cell.replace(/<[^>]*>/g, '').replace(/&\w+;/g, '&')].reduce((sum, character) =>
    sum + (/[\u1100-\u115f\u2e80-\uffff]/.test(character) || character.length > 1 ? 2 : 1), 0);

/** A table with straight columns, in a font of fixed width; without them if it is too wide for a menu. */
function table(head, delimiter, rows) {
    const shown = [head, ...rows].map((row, index) => cells(row).map(cell =>
        index === 0 ? `<b>${inline(cell)}</b>` : inline(cell)));
    const aligned = cells(delimiter);
    const widths = aligned.map((_rule, column) => Math.max(...shown.map(row => width(row[column] ?? ''))));
    const isNarrow = widths.reduce((sum, columns) => sum + columns + 3, -3) <= MAXIMUM_COLUMNS;
    const padded = (cell, column) => {
        const room = isNarrow && column < aligned.length ? Math.max(0, widths[column] - width(cell)) : 0;
        const side = /^(:?)-*(:?)$/.exec(aligned[column] ?? '') ?? [];
        const before = side[2] ? Math.floor(room / (side[1] ? 2 : 1)) : 0;
        return ' '.repeat(before) + cell + ' '.repeat(room - before);
    };
    const text = shown.map(row => row.map(padded).join(' │ ').replace(/ +$/, '')).join('\n');
    return isNarrow ? `<tt>${text}</tt>` : text;
}

/** A line outside of code and tables. */
function line(text) {
    const [, indent, item, task, quote, heading, rest] =
        /^(\s*)(?:([-*+]) +(?:\[([ xX])\] +)?|(>[> ]*)|(#{1,6}) +)?([^]*)$/.exec(text);
    if (/^\s*(?:(?:- *){3,}|(?:\* *){3,}|(?:_ *){3,})$/.test(text))
        return '────────';
    const margin = '\u2003'.repeat(Math.min(8, Math.floor(indent.length / 2)));
    if (item)
        return `${margin}${task === undefined ? '•' : task === ' ' ? '☐' : '☑'} ${inline(rest)}`;
    if (quote)
        return `${'▎'.repeat(Math.min(8, quote.replace(/ /g, '').length))} ${inline(rest)}`;
    return heading ? `<b>${inline(rest.replace(/ +#+ *$/, ''))}</b>` : margin + inline(rest);
}

/** An answer as marked-up text, which is always well-formed. */
export function markdown(answer) {
    const lines = answer.split('\n');
    const shown = [];
    while (lines.length > 0) {
        const next = lines.shift();
        const fence = /^\s*(`{3,}|~{3,})/.exec(next)?.[1];
        if (fence) {
            const end = lines.findIndex(code => /^\s*(`{3,}|~{3,})\s*$/.test(code) && code.trim().startsWith(fence));
            const code = lines.splice(0, end < 0 ? lines.length : end + 1);
            shown.push(`<tt>${escape((end < 0 ? code : code.slice(0, -1)).join('\n'))}</tt>`);
        } else if (next.includes('|') && isDelimiter(lines[0] ?? '')) {
            const delimiter = lines.shift();
            const end = lines.findIndex(row => !row.includes('|'));
            shown.push(table(next, delimiter, lines.splice(0, end < 0 ? lines.length : end)));
        } else {
            shown.push(line(next));
        }
    }
    return shown.join('\n');
}
