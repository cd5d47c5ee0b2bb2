// SPDX-License-Identifier: Apache-2.0
// Calls the window's actions; the bus starts the window if necessary.
import GLib from 'gi://GLib';

import {call, ErrorReply} from './bus.js';
import {actionOf} from './search.js';

/** Opens the result with this id. */
export function openResult(connection, id) {
    const action = actionOf(id);
    if (!action)
        throw new ErrorReply('InvalidArgs', 'There is no such result.');
    return openWindow(connection, ...action);
}

/** Activates an action of the window with a text parameter. */
export const openWindow = (connection, action, text) =>
    call(connection, 'org.chappie.Window', '/org/chappie/Window', 'org.freedesktop.Application.ActivateAction',
        '(sava{sv})', [action, [new GLib.Variant('s', text)], {}]);
