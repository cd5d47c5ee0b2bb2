// SPDX-License-Identifier: Apache-2.0
// A QR code of an address, for a telephone. It is dark on light in every theme, as scanners expect.
import Gdk from 'gi://Gdk?version=4.0';
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk?version=4.0';

import {qrcode} from './library.js';
import {_} from '../shared/text.js';

const QUIET = 4;
const SCALE = 5;

/** The QR code, or null without the library. */
export function qrPicture(address) {
    if (!qrcode)
        return null;
    const code = qrcode(0, 'M');
    code.addData(address);
    code.make();
    const count = code.getModuleCount();
    const size = (count + 2 * QUIET) * SCALE;
    const pixels = new Uint8Array(size * size * 3).fill(255);
    for (let y = 0; y < count * SCALE; y++) {
        for (let x = 0; x < count * SCALE; x++) {
            const at = ((y + QUIET * SCALE) * size + x + QUIET * SCALE) * 3;
            if (code.isDark(Math.floor(y / SCALE), Math.floor(x / SCALE)))
                pixels.fill(0, at, at + 3);
        }
    }
    const texture = Gdk.MemoryTexture.new(size, size, Gdk.MemoryFormat.R8G8B8, new GLib.Bytes(pixels), size * 3);
    return new Gtk.Picture({
        paintable: texture, canShrink: false, halign: Gtk.Align.CENTER,
        alternativeText: _('QR code of the page for the code'),
    });
}
