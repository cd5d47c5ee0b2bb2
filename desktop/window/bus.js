// SPDX-License-Identifier: Apache-2.0
// A proxy of the service on the session bus: its properties as they change, and calls. Nothing here blocks.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';

import {_} from './text.js';

Gio._promisify(Gio.DBusConnection.prototype, 'call');
Gio._promisify(Gio.DBusConnection.prototype, 'call_with_unix_fd_list');

export const NAME = 'org.chappie';
export const ROOT = '/org/chappie';
const ACCOUNTS = `${ROOT}/account/`;
const PROPERTIES = 'org.freedesktop.DBus.Properties';

/** An error: `code` is the last component of the D-Bus error name, `message` a sentence for the user. */
export class Failure extends Error {
    constructor(name, message) {
        super(message);
        this.code = (name ?? 'Failed').split('.').pop();
    }

    static of(error) {
        if (error instanceof Failure)
            return error;
        const name = error instanceof GLib.Error ? Gio.DBusError.get_remote_error(error) : null;
        if (name)
            Gio.DBusError.strip_remote_error(error);
        const failure = new Failure(name ?? error.constructor?.name, error.message);
        // The bus's own message is for developers.
        if (failure.isMissing)
            failure.message = _('The service does not run.');
        return failure;
    }

    /** Whether the service could not be started or has ended. */
    get isMissing() {
        return ['ServiceUnknown', 'NameHasNoOwner', 'NoReply', 'Disconnected'].includes(this.code) ||
            this.code.startsWith('Spawn');
    }

    /** Whether the service lacks the interface, because it is configured without it. */
    get isUnsupported() {
        return ['UnknownMethod', 'UnknownInterface', 'UnknownObject'].includes(this.code);
    }
}

/** The account name in an object path, which escapes all characters but letters and digits as _XX. */
export function accountName(path) {
    if (path === ROOT)
        return 'default';
    const bytes = [];
    const name = path.slice(ACCOUNTS.length);
    for (let at = 0; at < name.length; at++) {
        bytes.push(name[at] === '_' ? parseInt(name.slice(at + 1, at + 3), 16) : name.charCodeAt(at));
        at += name[at] === '_' ? 2 : 0;
    }
    return new TextDecoder().decode(new Uint8Array(bytes));
}

export const Service = GObject.registerClass({
    GTypeName: 'ChappieService',
    Signals: {
        // A property, the service's presence, or the list of stored accounts has changed.
        changed: {},
        'thread-changed': {param_types: [GObject.TYPE_STRING, GObject.TYPE_STRING]},
    },
}, class Service extends GObject.Object {
    constructor(connection) {
        super();
        this._connection = connection;
        this._values = new Map();
        /** The object path of the selected account. */
        this.path = ROOT;
        // In a sandbox, the objects that replace ROOT, by interface: the app has a sign-in of its own.
        this._sandboxPaths = null;
        /** Stored accounts: their paths, with the default one first. */
        this.accounts = [ROOT];
        /** `starting`, `running` or `missing`. */
        this.presence = 'starting';
        this._subscriptions = [
            this._subscribe(PROPERTIES, 'PropertiesChanged', this._propertiesChanged),
            this._subscribe('org.chappie.Threads', 'ThreadChanged', (path, [thread, change]) => {
                if (path === this.path)
                    this.emit('thread-changed', thread, change);
            }),
            this._subscribe('org.freedesktop.DBus.ObjectManager', 'InterfacesAdded', () => this._readAccounts()),
            this._subscribe('org.freedesktop.DBus.ObjectManager', 'InterfacesRemoved', () => this._readAccounts()),
        ];
        this._watch = Gio.bus_watch_name_on_connection(connection, NAME, Gio.BusNameWatcherFlags.NONE,
            () => this._restart(), () => this._restart());
    }

    close() {
        this._refreshing = null;
        Gio.bus_unwatch_name(this._watch);
        this._subscriptions.forEach(id => this._connection.signal_unsubscribe(id));
    }

    _subscribe(name, member, handler) {
        return this._connection.signal_subscribe(NAME, name, member, null, null, Gio.DBusSignalFlags.NONE,
            (_connection, _sender, path, _name, _member, parameters) =>
                handler.call(this, Object.values(this._sandboxPaths ?? {}).includes(path) ? ROOT : path,
                    parameters.recursiveUnpack()));
    }

    /** The object path that implements an interface for an account. */
    _at(path, name) {
        return path === ROOT && this._sandboxPaths?.[name] || path;
    }

    /** The value of a property, or undefined. The manager's properties are the same for all accounts. */
    get(name, property, path = this.path) {
        return this._values.get(`${name === 'Manager' ? ROOT : path} ${name}`)?.[property];
    }

    /** Selects another stored account. */
    select(path) {
        this.path = path;
        return this.refresh();
    }

    _restart() {
        this._sandboxPaths = null;
        return this.refresh();
    }

    /** Reads all properties, which starts the service if necessary. */
    async refresh() {
        const turn = this._refreshing = {};
        try {
            const path = this.path;
            await this._readAll('Session', path).catch(async error => {
                await this._openSandboxed(Failure.of(error));
                await this._readAll('Session', path);
            });
            await Promise.all([this._readAll('Manager', ROOT), this._readAll('Client', path)]);
            if (turn === this._refreshing)
                this.presence = 'running';
        } catch (error) {
            if (turn === this._refreshing)
                this.presence = Failure.of(error).isMissing ? 'missing' : 'running';
        }
        if (turn !== this._refreshing)
            return;
        this.emit('changed');
        if (this.presence === 'running')
            await this._readAccounts();
    }

    /** Opens objects for a sandboxed app, if the service refuses access to the default ones. */
    async _openSandboxed(failure) {
        if (failure.code !== 'AccessDenied')
            throw failure;
        const open = async method => (await this.call('Manager', method, '(a{sv})', [{}], {path: ROOT}))[0];
        const [session, client] = await Promise.all([open('OpenSession'), open('OpenClient')]);
        this._sandboxPaths = {Session: session, Client: client, Threads: client};
    }

    async _readAll(name, path) {
        const [values] = await this.call(PROPERTIES, 'GetAll', '(s)', [`org.chappie.${name}`],
            {path: this._at(path, name)});
        this._values.set(`${path} ${name}`, values);
    }

    async _readAccounts() {
        try {
            const [objects] = await this.call('org.freedesktop.DBus.ObjectManager', 'GetManagedObjects', '()', [],
                {path: ROOT});
            const paths = Object.keys(objects).filter(path => path.startsWith(ACCOUNTS)).sort();
            this.accounts = [ROOT, ...paths];
            for (const path of paths)
                this._values.set(`${path} Session`, objects[path]['org.chappie.Session'] ?? {});
            if (this.accounts.includes(this.path))
                this.emit('changed');
            else
                await this.select(ROOT);
        } catch {
            // A sandboxed app may not list accounts; it has only one.
        }
    }

    async _propertiesChanged(path, [name, changed, invalidated]) {
        const word = name.split('.').pop();
        if (!this._values.has(`${path} ${word}`))
            return;
        Object.assign(this._values.get(`${path} ${word}`), changed);
        if (invalidated.length > 0)
            await this._readAll(word, path).catch(() => {});
        this.emit('changed');
    }

    /**
     * Calls a method of an interface (`Session`, or a full name), and returns the values of the reply.
     * With `interactive` a locked keyring may prompt for its password. Throws a Failure.
     */
    async call(name, method, signature, values, {path = this.path, interactive = false, timeout = -1} = {}) {
        try {
            const reply = await this._connection.call(NAME, this._at(path, name),
                name.includes('.') ? name : `org.chappie.${name}`, method, new GLib.Variant(signature, values), null,
                interactive ? Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION : Gio.DBusCallFlags.NONE,
                timeout, null);
            return reply.recursiveUnpack();
        } catch (error) {
            throw Failure.of(error);
        }
    }

    /** Calls a method whose last return value is a socket, and returns its connection. */
    async open(name, method, signature, values, path = this.path) {
        try {
            const [reply, descriptors] = await this._connection.call_with_unix_fd_list(NAME, this._at(path, name),
                `org.chappie.${name}`, method, new GLib.Variant(signature, values), null, Gio.DBusCallFlags.NONE, -1,
                null, null);
            const handle = reply.deepUnpack().pop();
            return Gio.Socket.new_from_fd(descriptors.get(handle)).connection_factory_create_connection();
        } catch (error) {
            throw Failure.of(error);
        }
    }
});
