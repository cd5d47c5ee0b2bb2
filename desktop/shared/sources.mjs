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
