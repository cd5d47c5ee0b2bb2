// SPDX-License-Identifier: Apache-2.0
// A proxy of the service on the session bus: its properties as they change, and calls. Nothing here blocks.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';

import {stateOf} from './states.mjs';
import {_, translated} from './text.js';

export const NAME = 'org.chappie';
export const ROOT = '/org/chappie';
const PROPERTIES = 'org.freedesktop.DBus.Properties';
const WINDOW = 'org.chappie.Window';
// In milliseconds: an interactive call may prompt the user for a password.
const INTERACTIVE_TIMEOUT = 120000;

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
        super(translated(message));
        this.code = name.split('.').pop();
    }

    static of(error) {
        if (error instanceof Failure)
            return error;
        const name = error instanceof GLib.Error ? Gio.DBusError.get_remote_error(error) : null;
        if (name)
            Gio.DBusError.strip_remote_error(error);
        const failure = new Failure(name ?? 'Failed', error.message);
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

/** Calls a method, given as `org.example.Interface.Method`, and returns its reply as a variant. */
export function call(connection, name, path, member, signature, values,
    {flags = Gio.DBusCallFlags.NONE, timeout = -1, cancellable = null} = {}) {
    const dot = member.lastIndexOf('.');
    return promise(connection, 'call', name, path, member.slice(0, dot), member.slice(dot + 1),
        new GLib.Variant(signature, values), null, flags, timeout, cancellable);
}

/** Opens the window, with one of its actions and a text for it if they are given. `platform` is its platform data. */
export const openWindow = (connection, action = null, text = '', platform = {}) =>
    call(connection, WINDOW, `/${WINDOW.replaceAll('.', '/')}`,
        ...action ? ['org.freedesktop.Application.ActivateAction', '(sava{sv})',
            [action, [new GLib.Variant('s', text)], platform]]
            : ['org.freedesktop.Application.Activate', '(a{sv})', [platform]]);

export const Service = GObject.registerClass({
    Signals: {
        // A property or the presence of the service has changed.
        changed: {},
        // The pending approvals of broadcast turns may have changed.
        'approvals-changed': {},
        'thread-changed': {param_types: [GObject.TYPE_STRING, GObject.TYPE_STRING]},
    },
}, class Service extends GObject.Object {
    constructor(connection) {
        super();
        this._connection = connection;
        this._values = new Map();
        /** The object path of the selected account. */
        this.path = ROOT;
        /** `starting` before the first use of the service, `running` or `missing`. */
        this.presence = 'starting';
        /** Cancelled by `close`. */
        this.cancellable = new Gio.Cancellable();
        this._subscriptions = [];
        this._subscribe(PROPERTIES, 'PropertiesChanged', (...values) => this._propertiesChanged(...values));
        ['ApprovalRequested', 'ToolCallCompleted'].forEach(signal =>
            this._subscribe('org.chappie.Client', signal, () => this.emit('approvals-changed')));
        this._subscribe('org.chappie.Threads', 'ThreadChanged', (path, [thread, change]) => {
            if (path === this.path)
                this.emit('thread-changed', thread, change);
        });
        this._watch = Gio.bus_watch_name_on_connection(connection, NAME, Gio.BusNameWatcherFlags.NONE,
            () => this._appeared(), () => this._vanished());
    }

    close() {
        this._refreshing = null;
        this.cancellable.cancel();
        Gio.bus_unwatch_name(this._watch);
        this._subscriptions.forEach(id => this._connection.signal_unsubscribe(id));
    }

    _subscribe(name, signal, handler) {
        this._subscriptions.push(this._connection.signal_subscribe(NAME, name, signal, null, null,
            Gio.DBusSignalFlags.NONE, (_connection, _sender, path, _name, _signal, values) =>
                handler(this._accountOf(path), values.recursiveUnpack())));
    }

    /** The object path that implements an interface for an account; a subclass may open objects for it. */
    _at(path, _name) {
        return path;
    }

    /** The account that an object path belongs to. */
    _accountOf(path) {
        return path;
    }

    _appeared() {
        this.refresh();
    }

    _vanished() {
        this._values.clear();
        this.presence = 'starting';
        this.emit('changed');
    }

    /** The value of a property, or undefined. The manager's properties are the same for all accounts. */
    get(name, property, path = this.path) {
        return this._values.get(`${name === 'Manager' ? ROOT : path} ${name}`)?.[property];
    }

    /** What the user can do now: see `stateOf`. */
    get state() {
        return stateOf(this.presence, this._values.get(`${this.path} Session`) ?? {});
    }

    /** The known usage limits of the plan, or null. */
    get limits() {
        const limits = this.get('Client', 'UsageLimits') ?? {};
        return Object.keys(limits).length > 0 ? limits : null;
    }

    /** Reads all properties, which starts the service if necessary. */
    async refresh() {
        const refreshing = this._refreshing = {};
        let presence = 'running';
        try {
            await this._read(this.path);
        } catch (error) {
            const {isMissing, code} = Failure.of(error);
            presence = isMissing || code === 'Failed' ? 'missing' : 'running';
        }
        if (refreshing !== this._refreshing || this.cancellable.is_cancelled())
            return;
        this.presence = presence;
        this.emit('changed');
    }

    async _read(path) {
        await Promise.all([this._readAll('Manager', ROOT), this._readAll('Session', path), this._readAll('Client', path)]);
    }

    async _readAll(name, path) {
        const [values] = await this.call(PROPERTIES, 'GetAll', '(s)', [`org.chappie.${name}`],
            {path: this._at(path, name)});
        this._values.set(`${path} ${name}`, values);
    }

    async _propertiesChanged(path, [name, changed, invalidated]) {
        const word = name.split('.').pop();
        if (!this._values.has(`${path} ${word}`))
            return;
        Object.assign(this._values.get(`${path} ${word}`), changed);
        if (invalidated.length > 0)
            await this._readAll(word, path).catch(() => {});  // The service has ended.
        if (!this.cancellable.is_cancelled())
            this.emit('changed');
    }

    /**
     * Calls a method of an interface (`Session`, or a full name), and returns the values of the reply.
     * Without a `cancellable`, the reply comes after `close` too. With `interactive` a locked keyring may prompt for
     * its password. Throws a Failure.
     */
    async call(name, method, signature, values,
        {path = name === 'Manager' ? ROOT : this.path, interactive = false, timeout = null,
            cancellable = this.cancellable} = {}) {
        const flags = interactive ? Gio.DBusCallFlags.ALLOW_INTERACTIVE_AUTHORIZATION : Gio.DBusCallFlags.NONE;
        try {
            const reply = await call(this._connection, NAME, this._at(path, name),
                `${name.includes('.') ? name : `org.chappie.${name}`}.${method}`, signature, values,
                {flags, timeout: timeout ?? (interactive ? INTERACTIVE_TIMEOUT : -1), cancellable});
            // A promise is settled some time after its reply has arrived.
            cancellable?.set_error_if_cancelled();
            return reply.recursiveUnpack();
        } catch (error) {
            throw Failure.of(error);
        }
    }

    /** The id of a new thread; null where the service is configured to store none. `options` as of `call`. */
    async createThread(options = {}) {
        try {
            return (await this.call('Threads', 'Create', '(a{sv})', [{}], options))[0];
        } catch (failure) {
            if (failure.isUnsupported)
                return null;
            throw failure;
        }
    }

    /** Opens a turn of a thread, or without one of a client, and returns its connection. */
    async openTurn({thread = null, client = null, options = {}}) {
        const [name, signature, values] = thread
            ? ['Threads', '(sa{sv})', [thread, options]] : ['Client', '(a{sv})', [options]];
        try {
            const [reply, descriptors] = await promise(this._connection, 'call_with_unix_fd_list', NAME,
                client ?? this._at(this.path, name), `org.chappie.${name}`, 'OpenTurn', new GLib.Variant(signature, values),
                null, Gio.DBusCallFlags.NONE, -1, null, this.cancellable);
            const handle = reply.deepUnpack().pop();
            return Gio.Socket.new_from_fd(descriptors.get(handle)).connection_factory_create_connection();
        } catch (error) {
            throw Failure.of(error);
        }
    }

    /** The usage limits as an answer has told them, else as the server tells them. */
    async readLimits() {
        return this.limits ?? (await this.call('Client', 'GetUsageLimits', '()', []))[0];
    }
});
