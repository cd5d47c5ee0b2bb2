// SPDX-License-Identifier: Apache-2.0
// The service with its stored accounts, and with objects of its own where this app is sandboxed or adds an account.
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';

import {Failure, ROOT, Service} from '../shared/service.js';

const ACCOUNTS = `${ROOT}/account/`;
const MANAGER = 'org.freedesktop.DBus.ObjectManager';

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

/** The object path of an account. */
export const accountPath = name => name === 'default' ? ROOT : ACCOUNTS + Array.from(new TextEncoder().encode(name),
    (byte, index) => (index > 0 ? /[A-Za-z0-9]/ : /[A-Za-z]/).test(String.fromCharCode(byte)) ? String.fromCharCode(byte)
        : `_${byte.toString(16).padStart(2, '0')}`).join('');

export const WindowService = GObject.registerClass({
    GTypeName: 'ChappieWindowService',
}, class WindowService extends Service {
    constructor(connection) {
        super(connection);
        /** Stored accounts, and one that is being added: their paths, with the default one first. */
        this.accounts = [ROOT];
        // By account: the objects that this program has opened for it, by interface.
        this._opened = new Map();
        ['InterfacesAdded', 'InterfacesRemoved'].forEach(signal =>
            this._subscribe(MANAGER, signal, () => this._readAccounts()));
    }

    _at(path, name) {
        return this._opened.get(path)?.[name] ?? path;
    }

    _accountOf(path) {
        return [...this._opened].find(([, objects]) => Object.values(objects).includes(path))?.[0] ?? path;
    }

    // The window keeps what it shows, and starts the service again.
    _vanished() {
        this._opened.clear();
        this.refresh();
    }

    _appeared() {
        this._vanished();
    }

    /** Selects another account. One that was added without a sign-in is given up. */
    async select(path) {
        const left = this.path;
        this.path = path;
        if (left !== path && left !== ROOT && this._opened.has(left) && this.get('Session', 'State', left) !== 'signed-in')
            this._close(left);
        await this.refresh();
    }

    /** Selects the account with this name, which needs no sign-in yet. Throws a Failure. */
    async add(name) {
        const path = accountPath(name);
        if (!this.accounts.includes(path))
            await this._open(path, {keychain_account: new GLib.Variant('s', name)});
        await this.select(path);
    }

    async _open(path, configuration) {
        const open = async method => (await this.call('Manager', method, '(a{sv})', [configuration]))[0];
        const [session, client] = await Promise.all([open('OpenSession'), open('OpenClient')]);
        this._opened.set(path, {Session: session, Client: client, Threads: client});
    }

    _close(path) {
        const {Session: session, Client: client} = this._opened.get(path);
        this._opened.delete(path);
        [session, client].forEach(object =>
            this.call('Manager', 'Close', '(o)', [object]).catch(() => {}));
    }

    /** The `thread` of a new conversation; without stored threads its `client`, until that is closed. Throws a Failure. */
    async openConversation() {
        const thread = await this.createThread();
        if (thread !== null)
            return {thread, client: null};
        const account = this.get('Session', 'Configuration')?.keychain_account;
        const [client] = await this.call('Manager', 'OpenClient', '(a{sv})',
            [account ? {keychain_account: new GLib.Variant('s', account)} : {}]);
        return {thread, client};
    }

    async refresh() {
        await super.refresh();
        if (this.presence === 'running' && !this.cancellable.is_cancelled())
            await this._readAccounts();
    }

    /** Opens objects for a sandboxed app, if the service refuses access to the default ones. */
    async _read(path) {
        await this._readAll('Session', path).catch(async error => {
            if (Failure.of(error).code !== 'AccessDenied' || path !== ROOT)
                throw error;
            await this._open(ROOT, {});
        });
        await super._read(path);
    }

    async _readAccounts() {
        let paths = [];
        try {
            const [objects] = await this.call(MANAGER, 'GetManagedObjects', '()', [], {path: ROOT});
            paths = Object.keys(objects).filter(path => path.startsWith(ACCOUNTS));
            // Of what this program has opened, the signals tell more, and sooner.
            paths.filter(path => !this._opened.has(path)).forEach(path =>
                this._values.set(`${path} Session`, objects[path]['org.chappie.Session'] ?? {}));
        } catch {
            // A sandboxed app may not list accounts.
        }
        this.accounts = [ROOT, ...new Set([...paths, ...this._opened.keys()].filter(path => path !== ROOT).sort())];
        if (this.accounts.includes(this.path))
            this.emit('changed');
        else
            await this.select(ROOT);
    }
});
