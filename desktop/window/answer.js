// SPDX-License-Identifier: Apache-2.0
// A streamed answer: complete blocks stay as they are, and only the last one is parsed again.
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {blocks, normalised, split} from './blocks.js';
import {block, update} from './markdown.js';
import {_, bytes, fill} from '../shared/text.js';

// Characters that are shown at first and with each “Show more”: widgets for a megabyte would block the window.
const PAGE_SIZE = 48 * 1024;
// A longer block is split, because it is parsed again with each step.
const MAXIMUM_BLOCK = 8 * 1024;
// The minimum interval between two updates, in milliseconds, and the characters of one update: 48 kB at once block the
// window for a third of a second.
const UPDATE_INTERVAL = 60;
const UPDATE_SIZE = 3 * 1024;

export const Answer = GObject.registerClass({
    GTypeName: 'ChappieAnswer',
    Signals: {grown: {}},
}, class Answer extends Gtk.Box {
    constructor() {
        super({orientation: Gtk.Orientation.VERTICAL, spacing: 10, hexpand: true});
        /** The received text. */
        this.text = '';
        this._pending = '';     // Received, and not shown yet.
        this._tail = '';        // The text of the last block, which may grow.
        this._room = PAGE_SIZE; // Characters that may still be shown.
        this._live = null;      // The widget of the last block.
        this._timer = 0;
        this._more = new Gtk.Button({visible: false, halign: Gtk.Align.CENTER, cssClasses: ['pill']});
        this._more.connect('clicked', () => {
            this._room += PAGE_SIZE;
            this._draw();
        });
        this.append(this._more);
    }

    append_text(text) {
        this.text += text;
        this._pending += text;
        this._drawLater();
    }

    /** Shows another text in place of the received one. */
    show_instead(text) {
        while (this.get_first_child() !== this._more)
            this.remove(this.get_first_child());
        [this._pending, this._tail, this._room, this._live] = [text, '', PAGE_SIZE, null];
        this._draw();
    }

    /** Shows the rest at the end of the answer. */
    end() {
        if (this._timer)
            GLib.source_remove(this._timer);
        this._timer = 0;
        this._draw();
    }

    _drawLater() {
        if (this._timer)
            return;
        this._timer = GLib.timeout_add(GLib.PRIORITY_DEFAULT, UPDATE_INTERVAL, () => {
            this._timer = 0;
            this._draw();
            return GLib.SOURCE_REMOVE;
        });
    }

    _draw() {
        if (this._room > 0 && this._pending !== '') {
            // Surrogate pairs and CRLF are not split.
            let end = Math.min(this._room, UPDATE_SIZE, this._pending.length);
            if (/[\ud800-\udbff\r]$/.test(this._pending.slice(end - 1, end)) && end < this._pending.length)
                end += 1;
            this._room -= end;
            this._tail = normalised(this._tail + this._pending.slice(0, end));
            this._pending = this._pending.slice(end);
            this._drawTail();
        }
        const isFull = this._room <= 0;
        if (!isFull && this._pending !== '')
            this._drawLater();
        this._more.visible = isFull && this._pending !== '';
        this._more.label = fill(_('Show more (%s)'), bytes(this._pending.length));
        this.emit('grown');
    }

    _drawTail() {
        for (;;) {
            const tokens = this._drawTokens();
            const last = tokens.at(-1);
            // Code is not parsed, so its length does not matter.
            if (this._tail.length <= MAXIMUM_BLOCK || !last || last.type === 'code')
                return;
            const [front, rest] = split(last, this._tail, MAXIMUM_BLOCK);
            this._tail = front;
            this._drawTokens();
            this._live = null;
            this._tail = rest;
        }
    }

    /** Renders the tail, whose last block may still grow. */
    _drawTokens() {
        // marked recognises the fence of an open code block only if its last line is terminated.
        const tokens = blocks(this._tail.endsWith('\n') ? this._tail : `${this._tail}\n`);
        tokens.forEach((token, index) => {
            const isLast = index === tokens.length - 1;
            if (this._live === null || !update(this._live, token))
                this._replaceLive(block(token));
            if (!isLast) {
                this._live = null;
                this._tail = this._tail.slice(token.raw.length);
            }
        });
        return tokens;
    }

    _replaceLive(widget) {
        if (this._live)
            this.remove(this._live);
        this._live = widget;
        if (widget)
            this.insert_child_after(widget, this._more.get_prev_sibling());
    }
});
