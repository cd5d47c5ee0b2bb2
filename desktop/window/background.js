// SPDX-License-Identifier: Apache-2.0
// Running in the background while the window is closed, so that an answer can complete. The user has to choose this,
// and the background portal has to allow it.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {call} from '../shared/service.js';
import {_} from '../shared/text.js';

/** Asks the portal, and returns whether the program may run in the background; true without a portal. */
export async function requestBackground(connection) {
    const token = `chappie${GLib.random_int()}`;
    const sender = connection.get_unique_name().slice(1).replace(/\./g, '_');
    const handle = `/org/freedesktop/portal/desktop/request/${sender}/${token}`;
    let subscription = 0;
    try {
        const answer = new Promise(resolve => {
            subscription = connection.signal_subscribe('org.freedesktop.portal.Desktop', 'org.freedesktop.portal.Request',
                'Response', handle, null, Gio.DBusSignalFlags.NONE,
                (_connection, _sender, _path, _name, _member, parameters) => resolve(parameters.recursiveUnpack()));
        });
        await call(connection, 'org.freedesktop.portal.Desktop', '/org/freedesktop/portal/desktop',
            'org.freedesktop.portal.Background.RequestBackground', '(sa{sv})', ['', {
                handle_token: new GLib.Variant('s', token),
                reason: new GLib.Variant('s', _('Answers come to their end when the window is closed.')),
                autostart: new GLib.Variant('b', false),
            }]);
        const [response, results] = await answer;
        return response === 0 && results.background !== false;
    } catch {
        return true;
    } finally {
        if (subscription)
            connection.signal_unsubscribe(subscription);
    }
}
