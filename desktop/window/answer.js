// SPDX-License-Identifier: Apache-2.0
// An answer while it comes: blocks that have ended stay, and only the last one is read again.
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {blocks, normalised, split} from './blocks.js';
import {block, update} from './markdown.js';
import {_, bytes, fill} from './text.js';

// Shown at first, and with each “Show more”, in characters: widgets for a megabyte would stop the window.
const PAGE = 48 * 1024;
// A block that is longer is shown in pieces: with each step it is read again.
const LONGEST = 8 * 1024;
// The shortest time between two drawings, in milliseconds, and the characters of one: 48 kB at once stop the window for
// a third of a second.
const PACE = 60;
const STEP = 3 * 1024;

export const Answer = GObject.registerClass({
    GTypeName: 'ChappieAnswer',
    Signals: {grown: {}},
}, class Answer extends Gtk.Box {
    constructor() {
        super({orientation: Gtk.Orientation.VERTICAL, spacing: 10, hexpand: true});
        /** The whole answer so far, as it came. */
        this.text = '';
        this._waiting = '';     // What has come and is not drawn.
        this._tail = '';        // What the last, open block is made of.
        this._room = PAGE;
        this._live = null;
        this._timer = 0;
        this._more = new Gtk.Button({visible: false, halign: Gtk.Align.CENTER, cssClasses: ['pill']});
        this._more.connect('clicked', () => {
            this._room += PAGE;
            this._draw();
        });
        this.append(this._more);
    }

    append_text(text) {
        this.text += text;
        this._waiting += text;
        this._drawLater();
    }

    /** Draws what has come; nothing more comes. */
    end() {
        if (this._timer)
            GLib.source_remove(this._timer);
        this._timer = 0;
        this._draw();
    }

    _drawLater() {
        if (this._timer)
            return;
        this._timer = GLib.timeout_add(GLib.PRIORITY_DEFAULT, PACE, () => {
            this._timer = 0;
            this._draw();
            return GLib.SOURCE_REMOVE;
        });
    }

    _draw() {
        if (this._room > 0 && this._waiting !== '') {
            // A surrogate pair and the two characters of a line's end stay together.
            let end = Math.min(this._room, STEP, this._waiting.length);
            if (/[\ud800-\udbff\r]$/.test(this._waiting.slice(end - 1, end)) && end < this._waiting.length)
                end += 1;
            this._room -= end;
            this._tail = normalised(this._tail + this._waiting.slice(0, end));
            this._waiting = this._waiting.slice(end);
            this._drawTail();
        }
        const isFull = this._room <= 0;
        if (!isFull && this._waiting !== '')
            this._drawLater();
        this._more.visible = isFull && this._waiting !== '';
        this._more.label = fill(_('Show more (%s)'), bytes(this._waiting.length));
        this.emit('grown');
    }

    _drawTail() {
        for (;;) {
            const tokens = this._drawTokens();
            const last = tokens.at(-1);
            // Code is not read, so that its length does not matter.
            if (this._tail.length <= LONGEST || !last || last.type === 'code')
                return;
            const [front, rest] = split(last, this._tail, LONGEST);
            this._tail = front;
            this._drawTokens();
            this._live = null;
            this._tail = rest;
        }
    }

    /** Draws the tail, and leaves the last block of it open. */
    _drawTokens() {
        // marked takes the fence of an open code block for one when its last line has an end.
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
