// SPDX-License-Identifier: Apache-2.0
// The storage that conversations use, and a button that deletes them all.
import Adw from 'gi://Adw?version=1';
import Gtk from 'gi://Gtk?version=4.0';

import {confirm} from './dialogs.js';
import {_, bytes, fill, ngettext} from '../shared/text.js';
import {named} from './widgets.js';

export class StorageGroup {
    constructor(service, parent) {
        this._service = service;
        this.group = new Adw.PreferencesGroup({title: _('Stored conversations')});
        this._row = new Adw.ActionRow({title: '…'});
        this._bar = new Gtk.LevelBar({valign: Gtk.Align.CENTER, widthRequest: 140, visible: false});
        named(this._bar, _('Used space'));
        this._row.add_suffix(this._bar);
        const remove = new Gtk.Button({label: _('Delete all…'), valign: Gtk.Align.CENTER});
        remove.connect('clicked', () => confirm(parent, _('Delete all conversations?'),
            _('All conversations of this account are deleted, with their key. They cannot be brought back.'), _('Delete all'),
            async () => {
                await this._service.call('Threads', 'DeleteAll', '()', [], {interactive: true, timeout: 60000})
                    .catch(error => (this._row.subtitle = error.message));
                this.refresh();
            }));
        const row = new Adw.ActionRow({
            title: _('Delete all conversations'), subtitle: _('They cannot be brought back.'), activatableWidget: remove,
        });
        row.add_suffix(remove);
        [this._row, row].forEach(part => this.group.add(part));
    }

    async refresh() {
        try {
            const [usage] = await this._service.call('Threads', 'GetUsage', '()', []);
            const {used_bytes: used, limit_bytes: limit, thread_count: count, archived_count: archived} = usage;
            this._row.title = fill(ngettext('%s conversation', '%s conversations', count), count);
            const parts = [limit ? fill(_('%1$s of %2$s'), bytes(used), bytes(limit)) : bytes(used)];
            if (archived)
                parts.push(fill(ngettext('%s archived', '%s archived', archived), archived));
            if (usage.unreadable_count) {
                parts.push(fill(ngettext('%s cannot be read on this device', '%s cannot be read on this device',
                    usage.unreadable_count), usage.unreadable_count));
            }
            this._row.subtitle = parts.join(' · ');
            this._bar.visible = limit > 0;
            this._bar.value = limit > 0 ? Math.min(used / limit, 1) : 0;
        } catch (error) {
            this._row.title = error.isUnsupported ? _('Conversations are not stored.') : error.message;
        }
    }
}
