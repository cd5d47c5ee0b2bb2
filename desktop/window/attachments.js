// SPDX-License-Identifier: Apache-2.0
// Pictures, documents and text files of a question: chosen, dropped or pasted. They are sent as data, which works in a
// sandbox too.
import Gdk from 'gi://Gdk?version=4.0';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk?version=4.0';

import {_, fill} from '../shared/text.js';

Gio._promisify(Gio.File.prototype, 'load_bytes_async');
Gio._promisify(Gio.File.prototype, 'query_info_async');
Gio._promisify(Gdk.Clipboard.prototype, 'read_texture_async');
Gio._promisify(Gdk.Clipboard.prototype, 'read_value_async');

export const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const DOCUMENT = /^application\/(pdf|msword|vnd\.(ms-(excel|powerpoint)|(oasis|openxmlformats)[.-].*))$/;
// The limits, in bytes: of one picture, of one document, and the service's of all in base64. org.chappie(7) states it.
const MAXIMUM_SIZE = 8 * 1024 * 1024;
const MAXIMUM_DOCUMENT = 7 * 1024 * 1024;
const MAXIMUM_TOTAL = 12 * 1024 * 1024;
// The service's limit of pictures, and of documents.
export const MAXIMUM_COUNT = 16;
// The service's limit of a question's text.
const MAXIMUM_TEXT = 4 * 1024 * 1024;

/** A picture has a `name`, a `data:` URL as its `address`, and a `texture`, which is null if GTK cannot decode it. */
function picture(name, type, data) {
    if (data.get_size() > MAXIMUM_SIZE)
        throw new Error(fill(_('“%1$s” is larger than %2$s MiB.'), name, 8));
    let texture = null;
    try {
        texture = Gdk.Texture.new_from_bytes(data);
    } catch {
        // Not every system has a loader for WebP. The model can read it all the same.
    }
    return {name, texture, address: `data:${type};base64,${GLib.base64_encode(data.toArray())}`};
}

/** A document has a `name`, and an address with both name and content as its `document`. */
const named = (name, url) => ({name, document: url.replace(/^data:[^;,]*/, `$&;name=${encodeURIComponent(name)}`)});

/** The documents of a stored message. */
export const storedDocuments = (files = []) => files.map(({name, url}) => named(name, url));

/** A text file has a `name` and a `text`. */
function textFile(name, data) {
    let text;
    try {
        text = new TextDecoder('utf-8', {fatal: true}).decode(data.toArray());
    } catch {
        text = '\0';
    }
    if (text.includes('\0'))
        throw new Error(fill(_('“%s” is neither a PNG, JPEG, GIF or WebP picture, nor a PDF or office document, nor UTF-8 text.'), name));
    return {name, text};
}

/** Reads a file. Throws an error with a message for the user. */
export async function fromFile(file) {
    const info = await file.query_info_async('standard::type,standard::content-type,standard::size,standard::display-name',
        Gio.FileQueryInfoFlags.NONE, GLib.PRIORITY_DEFAULT, null);
    const name = info.get_display_name().replace(/\p{Cc}/gu, ' ');
    if (info.get_file_type() === Gio.FileType.DIRECTORY)
        throw new Error(fill(_('“%s” is a folder: choose files in it.'), name));
    // A pipe or a device may have no end.
    if (info.get_file_type() !== Gio.FileType.REGULAR)
        throw new Error(fill(_('“%s” is not a regular file.'), name));
    const type = Gio.content_type_get_mime_type(info.get_content_type() ?? '') ?? '';
    const [isPicture, isDocument] = [TYPES.includes(type), DOCUMENT.test(type)];
    const maximum = isPicture ? MAXIMUM_SIZE : isDocument ? MAXIMUM_DOCUMENT : MAXIMUM_TEXT;
    if (info.get_size() > maximum)
        throw new Error(fill(_('“%1$s” is larger than %2$s MiB.'), name, maximum >> 20));
    const [data] = await file.load_bytes_async(null);
    if (isDocument)
        return named(name, `data:${type};base64,${GLib.base64_encode(data.toArray())}`);
    return isPicture ? picture(name, type, data) : textFile(name, data);
}

/** Throws an error with a message for the user if the attachments are too much for one question. */
export function checkSize(attachments) {
    const size = key => attachments.reduce((sum, attachment) => sum + (attachment[key]?.length ?? 0), 0);
    if (size('address') + size('document') > MAXIMUM_TOTAL)
        throw new Error(_('The pictures and documents of a question may have 12 MiB together.'));
    if (size('text') > MAXIMUM_TEXT)
        throw new Error(_('The text files of a question may have 4 MiB together.'));
}

// A fence that does not occur in the text.
const fenceOf = text => '`'.repeat(Math.max(3, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length + 1)));

/** The question's text with its text files, as `chappie ask --file` composes it. */
export const withFiles = (text, attachments) => [text, ...attachments.filter(file => 'text' in file).map(file => {
    const fence = fenceOf(file.text);
    return `File: ${file.name}\n${fence}\n${file.text}${/^$|\n$/.test(file.text) ? '' : '\n'}${fence}`;
})].filter(part => part).join('\n\n');

/** The `text` of a question of `withFiles`, and its `files`. */
export function withoutFiles(question) {
    const files = [];
    const head = /(?:^|\n\n)File: ([^\n]+)\n(`{3,})\n/g;
    let text = question;
    for (let found = head.exec(question); found; found = head.exec(question)) {
        const [all, name, fence] = found;
        const begin = head.lastIndex;
        const end = question.indexOf(`\n${fence}`, begin - 1);
        const after = end + 1 + fence.length;
        if (end < 0 || !/^(\n\n|$)/.test(question.slice(after, after + 2)))
            return {text: question, files: []};
        if (files.length === 0)
            text = question.slice(0, begin - all.length);
        files.push({name, text: question.slice(begin, end + 1)});
        head.lastIndex = after;
    }
    return {text, files};
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

function fileLabel(name) {
    const box = new Gtk.Box({spacing: 6, cssClasses: ['file', 'card'], halign: Gtk.Align.START});
    box.append(new Gtk.Image({iconName: 'text-x-generic-symbolic', accessibleRole: Gtk.AccessibleRole.PRESENTATION}));
    box.append(new Gtk.Label({label: name, ellipsize: 3, maxWidthChars: 24}));
    return box;
}

/** A picture, or the name of a file or of a picture that cannot be shown. */
export function thumbnail(shown) {
    const widget = shown.texture
        ? new Gtk.Picture({
            paintable: shown.texture, canShrink: true, widthRequest: 96, heightRequest: 96, overflow: Gtk.Overflow.HIDDEN,
            halign: Gtk.Align.START, valign: Gtk.Align.START, alternativeText: shown.name, cssClasses: ['thumbnail'],
        })
        : fileLabel(shown.name);
    widget.tooltipText = shown.name;
    return widget;
}

/** A drop target that passes a list of files and pictures to `receive`. */
export function dropTarget(receive) {
    // Before a text view below the pointer, which would take a file as text.
    const target = new Gtk.DropTarget({
        actions: Gdk.DragAction.COPY, propagationPhase: Gtk.PropagationPhase.CAPTURE,
    });
    target.set_gtypes([Gdk.FileList.$gtype, Gdk.Texture.$gtype]);
    target.connect('drop', (_target, value) => {
        receive(value instanceof Gdk.Texture ? [value] : value.get_files());
        return true;
    });
    return target;
}
