// SPDX-License-Identifier: Apache-2.0
// A conversation as a Markdown file.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk?version=4.0';

import {_, fill} from '../shared/text.js';

Gio._promisify(Gio.File.prototype, 'replace_contents_bytes_async', 'replace_contents_finish');

const timeOf = seconds => GLib.DateTime.new_from_unix_local(seconds).format('%x, %H:%M');
const quoted = text => text.split('\n').map(line => `> ${line}`.trimEnd()).join('\n');
const escaped = text => text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|~]/g, '\\$&');

/** The thread in the JSON of `Threads.Get` as a Markdown document. */
export function markdownOf(json) {
    const {summary, turns} = JSON.parse(json);
    const part = (event, time) => ({
        input: () => `## ${_('You')}, ${timeOf(time)}\n\n${quoted(event.message.text)}${
            `\n\n*${_('Picture')}*`.repeat(event.message.images?.length ?? 0)}${
            (event.message.files ?? []).map(({name}) => `\n\n*${fill(_('File %s'), escaped(name))}*`).join('')}`,
        output: () => `## ${escaped(event.model ?? '') || _('Answer')}\n\n${event.text.trim()}`,
        error: () => `**${escaped(event.message ?? '')}**`,
        compaction: () => `## ${_('Summary')}\n\n${quoted(event.summary)}`,
    })[event.kind]?.();
    const parts = turns.flatMap(({recordedAt, events}) => events.map(event => part(event, recordedAt)));
    return `${[`# ${escaped(summary.title || _('Conversation'))}`, ...parts.filter(text => text)].join('\n\n')}\n`;
}

// A dialog that nothing refers to is collected as garbage.
const shown = new Set();

/** Lets the user choose a file, and writes the text to it. Throws an error if that fails. */
export async function saveText(parent, title, text) {
    const name = `${title.replace(/[/\p{Cc}]+/gu, ' ').replace(/^[. ]+/, '').slice(0, 80).trim() || _('Conversation')}.md`;
    // GTK 4.8 has no FileDialog.
    const chooser = new Gtk.FileChooserNative({
        title: _('Export as Markdown'), transientFor: parent, action: Gtk.FileChooserAction.SAVE, modal: true,
    });
    shown.add(chooser);
    chooser.set_current_name(name);
    const response = await new Promise(resolve => {
        chooser.connect('response', (_chooser, answer) => resolve(answer));
        chooser.show();
    });
    shown.delete(chooser);
    if (response === Gtk.ResponseType.ACCEPT) {
        await chooser.get_file().replace_contents_bytes_async(new GLib.Bytes(new TextEncoder().encode(text)),
            null, false, Gio.FileCreateFlags.REPLACE_DESTINATION, null);
    }
}
