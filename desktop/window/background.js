// SPDX-License-Identifier: Apache-2.0
// Running in the background while the window is closed, so that an answer can complete. The user has to choose this,
// and the background portal has to allow it.
import GLib from 'gi://GLib';

import {_} from '../shared/text.js';
import {requestPortal} from './portal.js';

/** Asks the portal, and returns whether the program may run in the background; true without a portal. */
export async function requestBackground(connection) {
    try {
        const results = await requestPortal(connection, 'Background.RequestBackground', '(sa{sv})', [''], {
            reason: new GLib.Variant('s', _('Answers come to their end when the window is closed.')),
            autostart: new GLib.Variant('b', false),
        });
        return results !== null && results.background !== false;
    } catch {
        return true;
    }
}
