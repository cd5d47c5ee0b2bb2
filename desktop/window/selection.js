// SPDX-License-Identifier: Apache-2.0
// The text that is selected in any program: the selection PRIMARY, read once.
import Gdk from 'gi://Gdk?version=4.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {promise} from '../shared/service.js';
import {_} from '../shared/text.js';

// In bytes, of UTF-8.
const MAXIMUM = 64 * 1024;
const PART = 64 * 1024;
// More than what comes at a time, of which some would be left with each.
const DRAINED_PART = 16 * 1024 * 1024;
const TYPES = ['text/plain;charset=utf-8', 'UTF8_STRING', 'text/plain'];
// In milliseconds: until the display has told what is selected, and for the program that has the text.
const ANNOUNCEMENT_TIME = 250;
const READING_TIME = 5000;

export const isWayland = () => Gdk.Display.get_default().constructor.$gtype.name === 'GdkWaylandDisplay';

export const delay = milliseconds => new Promise(resolve =>
    GLib.timeout_add(GLib.PRIORITY_DEFAULT, milliseconds, () => {
        resolve();
        return GLib.SOURCE_REMOVE;
    }));

/** Resolves with the next signal of an object. */
const next = (object, signal) => new Promise(resolve => {
    const handler = object.connect(signal, () => {
        object.disconnect(handler);
        resolve();
    });
});

/**
 * What `work` resolves with, which gets a cancellable; an error if it takes longer. On X11, GTK waits for a program that
 * hangs even after the cancellation.
 */
export async function within(milliseconds, work) {
    const cancellable = new Gio.Cancellable();
    let timer = 0;
    const late = new Promise((_resolve, reject) => {
        timer = GLib.timeout_add(GLib.PRIORITY_DEFAULT, milliseconds, () => {
            cancellable.cancel();
            reject(new Error('late'));
            return GLib.SOURCE_CONTINUE;
        });
    });
    try {
        return await Promise.race([work(cancellable), late]);
    } finally {
        GLib.source_remove(timer);
    }
}

/** All data of a stream, or its first bytes if there are more than `maximum`. */
export async function readAll(stream, maximum, cancellable) {
    const parts = [];
    let size = 0;
    while (size <= maximum) {
        const bytes = await promise(stream, 'read_bytes_async', PART, GLib.PRIORITY_DEFAULT, cancellable);
        if (bytes.get_size() === 0)
            break;
        parts.push(bytes.toArray());
        size += bytes.get_size();
    }
    const all = new Uint8Array(size);
    let at = 0;
    for (const part of parts) {
        all.set(part, at);
        at += part.length;
    }
    return all;
}

/**
 * Reads what is left of a stream. On X11, GTK receives that in any case, even without an end, and keeps for ever what
 * nobody has read: so it is read sooner than more of it is received.
 */
async function drain(stream) {
    try {
        while (await promise(stream, 'skip_async', DRAINED_PART, GLib.PRIORITY_HIGH, null) > 0);
    } catch {
        // Nothing is left.
    }
}

export class Selection {
    /**
     * To be made before its window is shown: Wayland tells a window the selection with the focus, and only then. On X11
     * a new process has to ask for the formats first.
     */
    constructor() {
        this._clipboard = Gdk.Display.get_default().get_primary_clipboard();
        this._announced = next(this._clipboard, 'changed');
    }

    /** The selected text. Throws an error with a sentence for the user. */
    async read(window) {
        while (isWayland() && !window.isActive)
            await next(window, 'notify::is-active');
        if (isWayland() || !this._isText)
            await Promise.race([this._announced, delay(ANNOUNCEMENT_TIME)]);
        const bytes = this._isText ? await this._readBytes() : new Uint8Array();
        if (bytes.length > MAXIMUM)
            throw new Error(_('The selected text is longer than 64 KiB: select less of it.'));
        const text = new TextDecoder().decode(bytes);
        if (text.trim() === '')
            throw new Error(_('No text is selected.'));
        return text;
    }

    get _isText() {
        const formats = this._clipboard.get_formats();
        return TYPES.some(type => formats.contain_mime_type(type));
    }

    async _readBytes() {
        try {
            return await within(READING_TIME, async cancellable => {
                const [stream] = await promise(this._clipboard, 'read_async', TYPES, GLib.PRIORITY_DEFAULT, cancellable);
                try {
                    return await readAll(stream, MAXIMUM, cancellable);
                } finally {
                    if (!isWayland())
                        drain(stream);
                }
            });
        } catch {
            throw new Error(_('The program with the selected text does not pass it on.'));
        }
    }
}
