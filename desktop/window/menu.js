// SPDX-License-Identifier: Apache-2.0
// The main menu, with actions of the window and of the application.
import Gio from 'gi://Gio';
import Gtk from 'gi://Gtk?version=4.0';

import {_} from '../shared/text.js';
import {named} from './widgets.js';

export function menuButton() {
    const menu = new Gio.Menu();
    const section = (...items) => {
        const part = new Gio.Menu();
        items.forEach(([label, action]) => part.append(label, action));
        menu.append_section(null, part);
    };
    section([_('Rename…'), 'win.rename'], [_('Export as Markdown…'), 'win.export'],
        [_('Archive'), 'win.archive'], [_('Take out of the archive'), 'win.unarchive'],
        [_('Delete…'), 'win.delete']);
    section([_('Archived conversations'), 'win.archived']);
    section([_('Account and plan'), 'win.account'], [_('Approvals'), 'win.approvals'], [_('Sign out'), 'win.sign-out']);
    section([_('Answer in the background'), 'app.background'], [_('Keyboard shortcuts'), 'win.show-help-overlay'],
        [_('About Chappie'), 'app.about']);
    const button = new Gtk.MenuButton({
        iconName: 'open-menu-symbolic', tooltipText: _('Menu'), menuModel: menu, primary: true,
    });
    named(button.get_first_child(), _('Menu'));
    return button;
}
