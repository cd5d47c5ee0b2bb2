// SPDX-License-Identifier: Apache-2.0
// The selected text, and the clipboard while an answer goes through it. Both are read only when the user asks for it.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Meta from 'gi://Meta';

import {promise} from './shared/service.js';
import {_} from './shared/text.js';

const {SELECTION_PRIMARY: PRIMARY, SELECTION_CLIPBOARD: CLIPBOARD} = Meta.SelectionType;
const TEXT = 'text/plain;charset=utf-8';
// The best first: what is only “text/plain” may have another encoding.
const TEXTS = [TEXT, 'UTF8_STRING', 'text/plain'];
// Copied files have their names as text too, and pictures have several formats.
const PREFERRED = ['x-special/gnome-copied-files', ...TEXTS, 'image/png'];
// Password managers mark what they copy.
const SECRET = 'x-kde-passwordManagerHint';
// The longest selected text, in bytes.
const LIMIT = 64 << 10;
// The largest content of the clipboard that is kept, in bytes.
const CONTENT_LIMIT = 16 << 20;
// Milliseconds in which a program has to give out what it has selected or copied.
const TIMEOUT = 5000;

export class Clipboard {
    constructor() {
        this._selection = global.display.get_selection();
        // What the timers that run resolve.
        this._timers = new Map();
        // The content to restore, as [format, bytes], while the clipboard has a text of ours.
        this._kept = null;
        // How often other programs have copied.
        this._copies = 0;
        this._handler = this._selection.connect('owner-changed', (_selection, type, source) => {
            if (type === CLIPBOARD && source !== this._source) {
                this._copies++;
                this._kept = null;
            }
        });
    }

    destroy() {
        this.restore();
        this._selection.disconnect(this._handler);
        const timers = this._timers;
        this._timers = null;
        timers.forEach((resolve, timer) => {
            GLib.source_remove(timer);
            resolve();
        });
    }

    /** Resolves after some milliseconds, or when this is destroyed. */
    wait(milliseconds) {
        return new Promise(resolve => {
            if (!this._timers)
                return resolve();
            const timer = GLib.timeout_add(GLib.PRIORITY_DEFAULT, milliseconds, () => {
                this._timers.delete(timer);
                resolve();
                return GLib.SOURCE_REMOVE;
            });
            this._timers.set(timer, resolve);
        });
    }

    /** The selected `text`, or the `problem` why there is none. */
    async selectedText() {
        const offered = this._offered(PRIMARY);
        const format = TEXTS.find(one => offered.includes(one));
        try {
            const bytes = format ? await this._read(PRIMARY, format, LIMIT + 1) : new GLib.Bytes('');
            if (bytes.get_size() > LIMIT)
                return {text: '', problem: _('The selected text is longer than 64 KiB: select less of it.')};
            const text = new TextDecoder().decode(bytes.toArray());
            return {text, problem: text.trim() === '' ? _('No text is selected.') : ''};
        } catch {
            return {text: '', problem: _('The program with the selected text does not pass it on.')};
        }
    }

    /** What is to be put back after a text that is lent, as [format, bytes]; null if it cannot be. */
    async content() {
        if (this._kept)
            return this._kept;
        const offered = this._offered(CLIPBOARD);
        const format = PREFERRED.find(one => offered.includes(one)) ?? offered.find(one => one.includes('/'));
        // What was an empty clipboard becomes an empty text, since the shell itself would bring a text of ours back.
        if (offered.length === 0 || offered.includes(SECRET))
            return [TEXT, new GLib.Bytes('')];
        if (!format)
            return null;
        const copies = this._copies;
        const bytes = await this._read(CLIPBOARD, format, CONTENT_LIMIT + 1).catch(() => null);
        return bytes && bytes.get_size() <= CONTENT_LIMIT && copies === this._copies ? [format, bytes] : null;
    }

    /** Puts a text into the clipboard, until `content` is put back. */
    lend(text, content) {
        if (!this._timers)
            return;
        this._put(TEXT, new GLib.Bytes(new TextEncoder().encode(text)));
        this._kept = content;
    }

    /** Whether the text that was put there is still there. */
    get isLent() {
        return this._kept !== null;
    }

    /** Puts back what was kept, unless another program has copied meanwhile. */
    restore() {
        if (this._kept)
            this._put(...this._kept);
        this._kept = null;
    }

    /** Forgets what was kept. */
    leave() {
        this._kept = null;
    }

    _offered(type) {
        return this._selection.get_mimetypes(type);
    }

    /** The content in one of its formats, or as many bytes of its beginning. */
    async _read(type, format, size) {
        const output = Gio.MemoryOutputStream.new_resizable();
        const cancellable = new Gio.Cancellable();
        await Promise.race([
            promise(this._selection, 'transfer_async', type, format, size, output, cancellable),
            this.wait(TIMEOUT).then(() => {
                cancellable.cancel();
                throw new Error('Timeout');
            }),
        ]);
        output.close(null);
        return output.steal_as_bytes();
    }

    _put(format, bytes) {
        this._source = Meta.SelectionSourceMemory.new(format, bytes);
        this._selection.set_owner(CLIPBOARD, this._source);
    }
}
