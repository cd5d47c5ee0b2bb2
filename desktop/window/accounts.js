// SPDX-License-Identifier: Apache-2.0
// The stored accounts with their users, the selected one, and the apps with a sign-in of their own.
import Adw from 'gi://Adw?version=1';
import Gtk from 'gi://Gtk?version=4.0';

import {_} from '../shared/text.js';
import {accountName} from './service.js';
import {askText} from './dialogs.js';
import {iconButton} from './widgets.js';

/** The group, and a function that refreshes it. `chosen` is called when another account is selected. */
export function accountsGroup(service, chosen) {
    const group = new Adw.PreferencesGroup({title: _('Accounts')});
    const add = name => service.add(name).then(chosen, error => (group.description = error.message));
    group.headerSuffix = iconButton('list-add-symbolic', _('Add an account'), {
        cssClasses: ['flat'],
        act: () => askText(group.get_root(), _('Add an account'),
            _('Programs choose the account by this name, such as “work”. Then you sign in to it.'), _('Add'), add),
    });
    let rows = [];
    const show = () => {
        rows.forEach(row => group.remove(row));
        rows = service.accounts.map(path => {
            const info = service.get('Session', 'AccountInfo', path) ?? {};
            const {message} = service.get('Session', 'Availability', path) ?? {};
            const row = new Adw.ActionRow({
                useMarkup: false, title: accountName(path), activatable: true,
                subtitle: [info.email, info.plan, message || _('Signed in')].filter(part => part).join(' · '),
            });
            row.add_suffix(new Gtk.Image({
                iconName: 'object-select-symbolic', opacity: path === service.path ? 1 : 0,
                accessibleRole: Gtk.AccessibleRole.PRESENTATION,
            }));
            row.connect('activated', () => {
                service.select(path);
                chosen();
            });
            group.add(row);
            return row;
        });
    };
    show();
    return {group, show, refresh: show};
}

/** The group of the apps with a sign-in in the keyring; hidden without any. */
export function applicationsGroup(service) {
    const group = new Adw.PreferencesGroup({title: _('Applications'), visible: false,
        description: _('These apps have a sign-in of their own.')});
    let rows = [];
    const refresh = async () => {
        // A locked keyring lists nothing, and a sandboxed app is refused.
        const [credentials] = await service.call('Manager', 'ListCredentials', '(a{sv})', [{}])
            .catch(() => [[]]);
        rows.forEach(row => group.remove(row));
        rows = credentials.filter(({app}) => app).map(({app, account, access_group: shared}) => {
            const row = new Adw.ActionRow({
                useMarkup: false, title: app, subtitle: [account, shared].filter(part => part).join(' · '),
            });
            group.add(row);
            return row;
        });
        group.visible = rows.length > 0;
    };
    return {group, refresh};
}
