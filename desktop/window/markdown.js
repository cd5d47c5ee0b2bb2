// SPDX-License-Identifier: Apache-2.0
// Creates widgets for marked's tokens. HTML is shown as text, a picture as a link, and nothing is fetched.
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk?version=4.0';
import Pango from 'gi://Pango';

import {CodeBlock} from './code.js';

// Deeper nesting is shown as text, so that hostile input cannot cause unbounded recursion.
const MAXIMUM_DEPTH = 8;
const ENTITIES = {amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0'};

const escape = text => GLib.markup_escape_text(text, -1);
const plain = text => text.replace(/&(?:(\w+)|#(\d+));/g, (match, name, number) =>
    ENTITIES[name] ?? (number && number < 0x110000 && number > 31 ? String.fromCodePoint(number) : match));

/** Pango markup of inline tokens. */
function markup(tokens, depth = 0) {
    if (depth > MAXIMUM_DEPTH)
        return tokens.map(token => escape(token.raw)).join('');
    const inner = token => markup(token.tokens ?? [], depth + 1);
    return tokens.map(token => {
        switch (token.type) {
        case 'text':
            return token.tokens ? inner(token) : escape(plain(token.raw));
        case 'escape':
            return escape(token.raw.slice(1));
        case 'strong':
            return `<b>${inner(token)}</b>`;
        case 'em':
            return `<i>${inner(token)}</i>`;
        case 'del':
            return `<s>${inner(token)}</s>`;
        case 'codespan':
            return `<tt>${escape(token.raw.replace(/^`+ ?| ?`+$/g, ''))}</tt>`;
        case 'br':
            return '\n';
        case 'link':
        case 'image':
            // The tooltip shows the address before the link is followed.
            return /^(https?|mailto):/i.test(token.href)
                ? `<a href="${escape(plain(token.href))}" title="${escape(escape(plain(token.href)))}">${
                    token.tokens ? inner(token) : escape(plain(token.text || token.href))}</a>`
                : escape(token.raw);
        default:
            return escape(token.raw);
        }
    }).join('');
}

// Pango's word wrapping is quadratic in the length of a word: one of 48 KB, such as base64, takes 18 seconds.
const wrapMode = content => /\S{256}/.test(content.replace(/<[^>]*>/g, ''))
    ? Pango.WrapMode.CHAR : Pango.WrapMode.WORD_CHAR;

const isRTL = () => Gtk.Widget.get_default_direction() === Gtk.TextDirection.RTL;

/** Whether a text runs against the direction of the window. */
function isOpposite(text) {
    const direction = Pango.find_base_dir(text.replace(/<[^>]*>/g, ''), -1);
    return direction === (isRTL() ? Pango.Direction.LTR : Pango.Direction.RTL);
}

/** A wrapping label with selectable text. */
function label(content, options = {}) {
    const {classes = [], isMarkup = true, ...properties} = options;
    const widget = new Gtk.Label({
        wrap: true, wrapMode: wrapMode(content), xalign: Number(isOpposite(content)), selectable: true,
        cssClasses: classes, hexpand: true, ...properties,
    });
    if (isMarkup)
        widget.set_markup(content);
    else
        widget.set_text(content);
    return widget;
}

const column = (children, classes = []) => {
    const box = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL, spacing: 6, cssClasses: classes, hexpand: true});
    children.filter(child => child).forEach(child => box.append(child));
    return box;
};

function list(token, depth) {
    const box = column([], ['list-block']);
    token.items.forEach((item, index) => {
        const mark = item.task ? item.checked ? '☑' : '☐' : token.ordered ? `${Number(token.start || 1) + index}.` : '•';
        const row = new Gtk.Box({spacing: 8});
        if (isOpposite(item.text))
            row.set_direction(isRTL() ? Gtk.TextDirection.LTR : Gtk.TextDirection.RTL);
        row.append(new Gtk.Label({label: mark, valign: Gtk.Align.START, cssClasses: ['dim-label']}));
        row.append(column(item.tokens.map(child => block(child, depth + 1))));
        box.append(row);
    });
    return box;
}

function table(token) {
    const grid = new Gtk.Grid({columnSpacing: 18, rowSpacing: 6, cssClasses: ['table-block']});
    [token.header, ...token.rows].forEach((cells, row) => cells.forEach((cell, place) => {
        const xalign = {center: 0.5, right: 1}[token.align[place]] ?? 0;
        // Only long cells wrap: a wrapping label takes its minimum width, so short cells would become narrow and high.
        const isLong = cell.text.length > 40;
        grid.attach(label(markup(cell.tokens), {
            xalign, hexpand: false, wrap: isLong, widthChars: isLong ? 40 : -1, maxWidthChars: 40,
            classes: row === 0 ? ['heading'] : [],
        }), place, row, 1, 1);
    }));
    return new Gtk.ScrolledWindow({child: grid, vscrollbarPolicy: Gtk.PolicyType.NEVER, propagateNaturalHeight: true});
}

/** The widget of a block, or null for an invisible one. */
export function block(token, depth = 0) {
    if (depth > MAXIMUM_DEPTH)
        return label(token.raw, {isMarkup: false});
    switch (token.type) {
    case 'space':
    case 'def':
        return null;
    case 'heading':
        return label(markup(token.tokens), {classes: [`title-${Math.min(token.depth + 1, 4)}`, 'heading-block']});
    case 'paragraph':
        return label(markup(token.tokens));
    case 'text':
        return label(markup(token.tokens ?? [token]));
    case 'list':
        return list(token, depth);
    case 'code':
        return new CodeBlock(token.text, token.lang);
    case 'blockquote':
        return column(token.tokens.map(child => block(child, depth + 1)), ['quote-block']);
    case 'table':
        return table(token);
    case 'hr':
        return new Gtk.Separator();
    default:
        return label(token.raw.trimEnd(), {isMarkup: false});
    }
}

/** Updates the widget of a block that has grown. Returns false if it needs a new widget. */
export function update(widget, token) {
    if (widget instanceof CodeBlock && token.type === 'code') {
        widget.update(token.text, token.lang);
        return true;
    }
    if (widget instanceof Gtk.Label && token.type === 'paragraph' && !widget.has_css_class('heading-block')) {
        const content = markup(token.tokens);
        widget.wrapMode = wrapMode(content);
        widget.xalign = Number(isOpposite(content));
        widget.set_markup(content);
        return true;
    }
    return false;
}
