// SPDX-License-Identifier: Apache-2.0
// A proxy of the service on the session bus: its properties as they change, and calls. Nothing here blocks the shell.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {_} from './text.js';

const NAME = 'org.chappie';
const PATH = '/org/chappie';
const PROPERTIES = 'org.freedesktop.DBus.Properties';

/** An asynchronous function of GIO as a promise. */
export const promise = (object, begin, ...values) => new Promise((resolve, reject) => {
    object[begin](...values, (_object, result) => {
        try {
            resolve(object[`${begin.replace(/_async$/, '')}_finish`](result));
        } catch (error) {
            reject(error);
        }
    });
});

/** An error: `code` is the last component of the D-Bus error name, `message` a sentence for the user. */
export class Failure extends Error {
    constructor(name, message) {
        super(message && _(message));  // gettext returns the catalogue's header for an empty text.
        this.code = name.split('.').pop();
    }

    static of(error) {
        if (error instanceof Failure)
            return error;
        const name = error instanceof GLib.Error ? Gio.DBusError.get_remote_error(error) : null;
        if (name)
            Gio.DBusError.strip_remote_error(error);
        return new Failure(name ?? 'Failed', error.message);
    }

    /** Whether the service lacks the interface, because it is configured without it. */
    get isUnsupported() {
        return ['UnknownMethod', 'UnknownInterface', 'UnknownObject'].includes(this.code);
    }
}

export class Service {
    /** `changed` is called after a property change, `approvalsChanged` when approvals of broadcast turns change. */
    constructor({changed, approvalsChanged}) {
        this._bus = Gio.DBus.session;
        this._changed = changed;
        this._forget();
        /** Cancelled when the extension is disabled. */
        this.cancellable = new Gio.Cancellable();
        this._subscriptions = [
            this._subscribe(PROPERTIES, 'PropertiesChanged', (...values) => this._propertiesChanged(...values)),
            this._subscribe('org.chappie.Client', 'ApprovalRequested', approvalsChanged),
            this._subscribe('org.chappie.Client', 'ToolCallCompleted', approvalsChanged),
        ];
        this._watch = Gio.bus_watch_name_on_connection(this._bus, NAME, Gio.BusNameWatcherFlags.NONE,
            () => this.refresh(), () => {
                this._forget();
                changed();
            });
    }

    close() {
        this.cancellable.cancel();
        Gio.bus_unwatch_name(this._watch);
        this._subscriptions.forEach(id => this._bus.signal_unsubscribe(id));
    }

    _subscribe(name, signal, handler) {
        return this._bus.signal_subscribe(NAME, name, signal, PATH, null, Gio.DBusSignalFlags.NONE,
            (_bus, _sender, _path, _name, _signal, values) => handler(...values.recursiveUnpack()));
    }

    _forget() {
        this._values = {Manager: {}, Session: {}, Client: {}};
        /** `unknown` before the first use of the service and after its end, `running`, or `missing`. */
        this.presence = 'unknown';
    }

    /** The value of a property, or undefined. */
    get(name, property) {
        return this._values[name][property];
    }

    /** Reads all properties, which starts the service if necessary. */
    async refresh() {
        try {
            await Promise.all(Object.keys(this._values).map(name => this._read(name)));
            this.presence = 'running';
        } catch (error) {
            if (this.cancellable.is_cancelled())
                return;
            this._forget();
            this.presence = 'missing';
        }
        this._changed();
    }

    async _read(name) {
        [this._values[name]] = await this.call(PROPERTIES, 'GetAll', '(s)', [`org.chappie.${name}`]);
    }

    async _propertiesChanged(name, changed, invalidated) {
        const word = name.split('.').pop();
        if (this.presence !== 'running' || !(word in this._values))
            return;
        Object.assign(this._values[word], changed);
        if (invalidated.length > 0)
            await this._read(word).catch(() => {});  // The service has ended.
        if (!this.cancellable.is_cancelled())
            this._changed();
    }

    /**
     * Calls a method of an interface (`Session`, or a full name), and returns the values of the reply.
     * With `interactive` a locked keyring may prompt for its password. Throws a Failure.
     */
    async call(name, method, signature, values, {interactive = false} = {}) {
        try {
            const reply = await promise(this._bus, 'call', NAME, PATH, name.includes('.') ? name : `org.chappie.${name}`,
                method, new GLib.Variant(signature, values), null,
                interactive ? Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION : Gio.DBusCallFlags.NONE,
                interactive ? 120000 : -1, this.cancellable);
            // A promise is settled some time after its reply has arrived.
            this.cancellable.set_error_if_cancelled();
            return reply.recursiveUnpack();
        } catch (error) {
            throw Failure.of(error);
        }
    }

    /** Opens a turn of a thread, or of a conversation of its own without one, and returns its socket connection. */
    async openTurn(thread) {
        const [name, signature, values] = thread ? ['Threads', '(sa{sv})', [thread, {}]] : ['Client', '(a{sv})', [{}]];
        try {
            const [reply, descriptors] = await promise(this._bus, 'call_with_unix_fd_list', NAME, PATH,
                `org.chappie.${name}`, 'OpenTurn', new GLib.Variant(signature, values), null, Gio.DBusCallFlags.NONE, -1,
                null, this.cancellable);
            const handle = reply.deepUnpack().pop();
            return Gio.Socket.new_from_fd(descriptors.get(handle)).connection_factory_create_connection();
        } catch (error) {
            throw Failure.of(error);
        }
    }
}
