// SPDX-License-Identifier: Apache-2.0
// Requests to the portals of the desktop, which may ask the user.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {call} from '../shared/service.js';

const NAME = 'org.freedesktop.portal.Desktop';
const PATH = '/org/freedesktop/portal/desktop';

/** Calls a method of the portals, given as `portal.Interface.Method`. */
export const callPortal = (connection, member, signature, values) =>
    call(connection, NAME, PATH, `org.freedesktop.${member}`, signature, values);

/**
 * Makes a request, whose method has `options` as its last parameter, and returns its results; null if the user refuses
 * or the portal ends or the connection is closed meanwhile. Throws an error without the portal.
 */
export async function requestPortal(connection, member, signature, values, options) {
    const token = `chappie${GLib.random_int()}`;
    const sender = connection.get_unique_name().slice(1).replace(/\./g, '_');
    const handle = `${PATH}/request/${sender}/${token}`;
    let subscription = 0;
    let handler = 0;
    let watch = 0;
    try {
        let end = null;
        const answer = new Promise(resolve => {
            end = () => resolve([2, {}]);
            subscription = connection.signal_subscribe(NAME, 'org.freedesktop.portal.Request', 'Response', handle, null,
                Gio.DBusSignalFlags.NONE,
                (_connection, _sender, _path, _name, _member, parameters) => resolve(parameters.recursiveUnpack()));
            handler = connection.connect('closed', end);
        });
        await callPortal(connection, `portal.${member}`, signature,
            [...values, {...options, handle_token: new GLib.Variant('s', token)}]);
        // The call has started the portal.
        watch = Gio.bus_watch_name_on_connection(connection, NAME, Gio.BusNameWatcherFlags.NONE, null, end);
        const [response, results] = await answer;
        return response === 0 ? results : null;
    } finally {
        connection.signal_unsubscribe(subscription);
        connection.disconnect(handler);
        if (watch)
            Gio.bus_unwatch_name(watch);
    }
}
