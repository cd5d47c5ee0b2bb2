// SPDX-License-Identifier: Apache-2.0
// The keyboard shortcuts, and the window that shows them.
import GLib from 'gi://GLib';
import Gtk from 'gi://Gtk?version=4.0';

import {_} from '../shared/text.js';

const KEYS = [
    ['win.new', '<Control>n', () => _('New conversation')],
    ['win.search', '<Control>f', () => _('Search conversations')],
    ['win.attach', '<Control>o', () => _('Add a picture or a file')],
    ['win.stop', 'Escape', () => _('Stop the answer')],
    ['win.rename', 'F2', () => _('Rename the conversation')],
    ['win.export', '<Control>s', () => _('Export as Markdown')],
    ['win.archive', '<Control>e', () => _('Archive the conversation')],
    ['win.delete', '<Control>Delete', () => _('Delete the conversation')],
    ['win.account', '<Control>comma', () => _('Account and plan')],
    ['win.approvals', '<Control>p', () => _('Tools that wait for approval')],
    ['win.refresh', 'F5', () => _('Reload')],
    ['win.show-help-overlay', '<Control>question', () => _('Keyboard shortcuts')],
    ['window.close', '<Control>w', () => _('Close the window')],
    ['app.quit', '<Control>q', () => _('Quit')],
];

export const setKeys = application =>
    KEYS.forEach(([action, key]) => application.set_accels_for_action(action, [key]));

/** Gtk.ShortcutsWindow can only be filled by Gtk.Builder. */
export function shortcutsWindow() {
    const escape = text => GLib.markup_escape_text(text, -1);
    const shortcut = (key, title) => `<child><object class="GtkShortcutsShortcut"><property name="accelerator">${
        escape(key)}</property><property name="title">${escape(title)}</property></object></child>`;
    const keys = [['Return', _('Ask')], ['<Shift>Return', _('New line')], ...KEYS.map(([, key, title]) => [key, title()])];
    return Gtk.Builder.new_from_string(`<interface><object class="GtkShortcutsWindow" id="window">
        <property name="modal">1</property><child><object class="GtkShortcutsSection">
        <child><object class="GtkShortcutsGroup">${keys.map(([key, title]) => shortcut(key, title)).join('')}</object></child>
        </object></child></object></interface>`, -1).get_object('window');
}
