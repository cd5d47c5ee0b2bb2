// SPDX-License-Identifier: Apache-2.0
// Opens the window, which the bus starts if it does not run.
import GLib from 'gi://GLib';

import {call, Refusal} from './bus.js';
import {actionOf} from './search.js';

/** Opens what an id stands for. */
export function openResult(connection, id) {
    const action = actionOf(id);
    if (!action)
        throw new Refusal('InvalidArgs', 'There is no such result.');
    return openWindow(connection, ...action);
}

/** Does an action of the window with a text. */
export const openWindow = (connection, action, text) =>
    call(connection, 'org.chappie.Window', '/org/chappie/Window', 'org.freedesktop.Application.ActivateAction',
        '(sava{sv})', [action, [new GLib.Variant('s', text)], {}]);
