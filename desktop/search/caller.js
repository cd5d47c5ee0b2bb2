// SPDX-License-Identifier: Apache-2.0
// The service gives a sandboxed app threads of its own, so the app must not read the user's threads here.
import Gio from 'gi://Gio';

import {call} from '../shared/service.js';

const callers = new Map();

/** Whether the owner of a unique name is sandboxed: its root directory differs from this program's. */
export function isSandboxed(connection, sender) {
    if (!callers.has(sender))
        callers.set(sender, read(connection, sender).catch(() => false));
    return callers.get(sender);
}

async function read(connection, sender) {
    const reply = await call(connection, 'org.freedesktop.DBus', '/org/freedesktop/DBus',
        'org.freedesktop.DBus.GetConnectionUnixProcessID', '(s)', [sender]);
    return root(reply.deepUnpack()[0]) !== root('self');
}

function root(pid) {
    const info = Gio.File.new_for_path(`/proc/${pid}/root`).query_info('unix::*', Gio.FileQueryInfoFlags.NONE, null);
    return ['unix::device', 'unix::inode'].map(name => info.get_attribute_as_string(name)).join(' ');
}
