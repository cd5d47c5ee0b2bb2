// SPDX-License-Identifier: Apache-2.0
// The sources of an answer that searched the web. The applet for Plasma shares this file.

const MAXIMUM = 50;

/** The pages that an answer names, once each: `url`, `host` and the text of a link. */
export function sources(citations = []) {
    const pages = new Map();
    for (const {url, title} of citations) {
        const host = /^https?:\/\/([^/?#]+)/i.exec(url)?.[1];
        if (host && !pages.has(url) && pages.size < MAXIMUM)
            pages.set(url, {url, host, label: `${pages.size + 1}. ${title ? `${title} (${host})` : host}`});
    }
    return [...pages.values()];
}

/** The text with the numbers of the sources at the places where no link stands. Places are in bytes of UTF-8. */
export function numbered(text, citations = []) {
    const urls = sources(citations).map(({url}) => url);
    const numbers = new Map();
    for (const {url, start, end} of citations) {
        if (Number.isInteger(start) && start === end && urls.includes(url))
            numbers.set(start, `${numbers.get(start) ?? ''}[${urls.indexOf(url) + 1}]`);
    }
    if (numbers.size === 0)
        return text;
    let [shown, offset] = ['', 0];
    for (const character of text) {
        const code = character.codePointAt(0);
        shown += (numbers.get(offset) ?? '') + character;
        offset += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    }
    return shown + (numbers.get(offset) ?? '');
}
