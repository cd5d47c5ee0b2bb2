// SPDX-License-Identifier: Apache-2.0
// What Plasma on Wayland lets a program do with another one: a script tells which window has the focus in KWin, and the
// portal RemoteDesktop presses keys, after the user has allowed it.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {call, promise} from '../shared/service.js';
import {callPortal, requestPortal} from './portal.js';
import {delay} from './selection.js';

const KWIN = 'org.kde.KWin';
const LISTENER = 'org.chappie.Window.Focus';
const LISTENER_INTERFACE = `<node><interface name="${LISTENER}">
  <method name="Tell"><arg type="s" name="id"/><arg type="s" name="name"/></method>
</interface></node>`;
// Of the portal RemoteDesktop.
const KEYBOARD = 1;
const UNTIL_REVOKED = 2;
// As X11 numbers them. The code of a key would be another letter in some layouts.
const SYMBOLS = {ctrl: 0xffe3, shift: 0xffe1, v: 0x76};
// In milliseconds.
const DEADLINE = 500;
// Some programs lose keys that come at once.
const KEY_INTERVAL = 20;

const callKWin = (path, member, signature = '()', values = []) =>
    call(Gio.DBus.session, KWIN, path, `org.kde.kwin.${member}`, signature, values,
        {flags: Gio.DBusCallFlags.NO_AUTO_START, timeout: DEADLINE});

/** The `id` of the window with the focus, and the `name` of its program; null without a window, and without KWin. */
export async function activeWindow() {
    // Nobody else knows the path at which KWin's answer is expected.
    const secret = GLib.uuid_string_random().replaceAll('-', '');
    const path = `/org/chappie/Window/focus/${secret}`;
    // KWin reads scripts from files.
    const file = GLib.build_filenamev([GLib.get_user_runtime_dir(), `chappie-focus-${secret}.js`]);
    let listener = null;
    try {
        const told = new Promise(resolve => {
            listener = Gio.DBusExportedObject.wrapJSObject(LISTENER_INTERFACE, {
                Tell: (id, name) => resolve(id ? {id, name} : null),
            });
        });
        listener.export(Gio.DBus.session, path);
        GLib.file_set_contents_full(file, `const window = workspace.activeWindow;
            callDBus('${Gio.DBus.session.get_unique_name()}', '${path}', '${LISTENER}', 'Tell',
                window ? String(window.internalId) : '', window ? String(window.resourceClass) : '');`,
        GLib.FileSetContentsFlags.NONE, 0o600);
        const [number] = (await callKWin('/Scripting', 'Scripting.loadScript', '(ss)', [file, secret])).deepUnpack();
        await callKWin(`/Scripting/Script${number}`, 'Script.run');
        return await Promise.race([told, delay(DEADLINE)]) ?? null;
    } catch {
        return null;
    } finally {
        listener.unexport();
        callKWin('/Scripting', 'Scripting.unloadScript', '(s)', [secret]).catch(() => {});
        GLib.unlink(file);
    }
}

// The portal's token for the next session, which needs no question with it.
const tokenFile = () => GLib.build_filenamev([GLib.get_user_state_dir(), 'chappie', 'remote-desktop-token']);

function readToken() {
    try {
        const token = new TextDecoder().decode(GLib.file_get_contents(tokenFile())[1]);
        // With anything else, the portal would refuse the session.
        return GLib.uuid_string_is_valid(token) ? token : null;
    } catch {
        return null;
    }
}

function writeToken(token) {
    try {
        GLib.mkdir_with_parents(GLib.path_get_dirname(tokenFile()), 0o700);
        GLib.file_set_contents_full(tokenFile(), token, GLib.FileSetContentsFlags.CONSISTENT, 0o600);
    } catch {
        // The desktop asks again.
    }
}

/** A keyboard of the portal. Its session has a connection of its own, with which it ends. */
export class Keyboard {
    /** Returns whether keys can be pressed. The desktop asks the user, the first time at least. */
    async open() {
        try {
            const connection = this._connection = await promise(Gio.DBusConnection, 'new_for_address',
                Gio.dbus_address_get_for_bus_sync(Gio.BusType.SESSION, null),
                Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, null,
                null);
            // The first call of a connection says which program it is. Older portals find it out themselves.
            await callPortal(connection, 'host.portal.Registry.Register', '(sa{sv})', ['org.chappie.Window', {}])
                .catch(() => {});
            const {session_handle: session} = await requestPortal(connection, 'RemoteDesktop.CreateSession', '(a{sv})',
                [], {session_handle_token: new GLib.Variant('s', 'chappie')});
            const options = {
                types: new GLib.Variant('u', KEYBOARD), persist_mode: new GLib.Variant('u', UNTIL_REVOKED),
            };
            const token = readToken();
            if (token)
                options.restore_token = new GLib.Variant('s', token);
            await requestPortal(connection, 'RemoteDesktop.SelectDevices', '(oa{sv})', [session], options);
            const results = await requestPortal(connection, 'RemoteDesktop.Start', '(osa{sv})', [session, ''], {});
            if (results.restore_token)
                writeToken(results.restore_token);
            this._session = session;
            return (results.devices & KEYBOARD) !== 0;
        } catch {
            return false;  // There is no portal, or a request has no results.
        }
    }

    /** Presses V with modifiers. Returns null if it cannot. */
    async paste(modifiers) {
        const symbols = [...modifiers, 'v'].map(name => SYMBOLS[name]);
        const events = [...symbols.map(symbol => [symbol, 1]), ...[...symbols].reverse().map(symbol => [symbol, 0])];
        try {
            for (const [symbol, isPressed] of events) {
                await callPortal(this._connection, 'portal.RemoteDesktop.NotifyKeyboardKeysym', '(oa{sv}iu)',
                    [this._session, {}, symbol, isPressed]);
                await delay(KEY_INTERVAL);
            }
            return true;
        } catch {
            return null;
        }
    }

    close() {
        this._connection?.close(null, null);
        this._connection = null;
    }
}
