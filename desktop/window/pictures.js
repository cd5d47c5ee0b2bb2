// SPDX-License-Identifier: Apache-2.0
// Pictures of a question: from a file, by drop and by paste. They are sent as data, which works in a sandbox too.
import Gdk from 'gi://Gdk?version=4.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk?version=4.0';

import {_, fill} from './text.js';

Gio._promisify(Gio.File.prototype, 'load_bytes_async');
Gio._promisify(Gio.File.prototype, 'query_info_async');
Gio._promisify(Gdk.Clipboard.prototype, 'read_texture_async');
Gio._promisify(Gdk.Clipboard.prototype, 'read_value_async');

export const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
// The service's limits, in bytes: of one image, and of all images of a message in base64. org.chappie(7) states them.
const MAXIMUM_SIZE = 8 * 1024 * 1024;
export const MAXIMUM_TOTAL = 12 * 1024 * 1024;

/** A picture has a `name`, a `data:` URL as its `address`, and a `texture`, which is null if GTK cannot decode it. */
function picture(name, type, data) {
    if (data.get_size() > MAXIMUM_SIZE)
        throw new Error(fill(_('“%s” is larger than 8 MiB.'), name));
    let texture = null;
    try {
        texture = Gdk.Texture.new_from_bytes(data);
    } catch {
        // Not every system has a loader for WebP. The model can read it all the same.
    }
    return {name, texture, address: `data:${type};base64,${GLib.base64_encode(data.toArray())}`};
}

/** Reads a file. Throws an error with a message for the user. */
export async function fromFile(file) {
    const info = await file.query_info_async('standard::content-type,standard::size,standard::display-name',
        Gio.FileQueryInfoFlags.NONE, GLib.PRIORITY_DEFAULT, null);
    const name = info.get_display_name();
    const type = Gio.content_type_get_mime_type(info.get_content_type() ?? '') ?? '';
    if (!TYPES.includes(type))
        throw new Error(fill(_('“%s” is not a PNG, JPEG, GIF or WebP picture.'), name));
    if (info.get_size() > MAXIMUM_SIZE)
        throw new Error(fill(_('“%s” is larger than 8 MiB.'), name));
    const [data] = await file.load_bytes_async(null);
    return picture(name, type, data);
}

export const fromTexture = texture => picture(_('Picture'), 'image/png', texture.save_to_png_bytes());

const contains = (clipboard, type) => clipboard.get_formats().contain_gtype(type);

/** Whether the clipboard has pictures or files. Spreadsheets offer a picture of copied text, which does not count. */
export const hasPictures = clipboard => contains(clipboard, Gdk.FileList.$gtype) ||
    contains(clipboard, Gdk.Texture.$gtype) && !clipboard.get_formats().contain_mime_type('text/plain');

/** The files or the picture in the clipboard, as a list. */
export async function fromClipboard(clipboard) {
    if (!contains(clipboard, Gdk.FileList.$gtype))
        return [await clipboard.read_texture_async(null)];
    return (await clipboard.read_value_async(Gdk.FileList.$gtype, GLib.PRIORITY_DEFAULT, null)).get_files();
}

export function thumbnail(shown) {
    const widget = shown.texture
        ? new Gtk.Picture({
            paintable: shown.texture, canShrink: true, widthRequest: 96, heightRequest: 96, overflow: Gtk.Overflow.HIDDEN,
            halign: Gtk.Align.START, valign: Gtk.Align.START, alternativeText: shown.name, cssClasses: ['thumbnail'],
        })
        : new Gtk.Label({label: shown.name, ellipsize: 3, maxWidthChars: 16});
    widget.tooltipText = shown.name;
    return widget;
}

/** A drop target that passes a list of files and pictures to `receive`. */
export function dropTarget(receive) {
    const target = new Gtk.DropTarget({actions: Gdk.DragAction.COPY});
    target.set_gtypes([Gdk.FileList.$gtype, Gdk.Texture.$gtype]);
    target.connect('drop', (_target, value) => {
        receive(value instanceof Gdk.Texture ? [value] : value.get_files());
        return true;
    });
    return target;
}
