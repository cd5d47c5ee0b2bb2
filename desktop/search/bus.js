// SPDX-License-Identifier: Apache-2.0
// The session bus: an interface by its XML and a function for each of its methods, and calls of others.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

Gio._promisify(Gio.DBusConnection.prototype, 'call');

// The connection does not keep them from being collected.
const exported = new Set();

/** Why a call is refused: the last word of the name of a D-Bus error, and a sentence. */
export class Refusal extends Error {
    constructor(name, message) {
        super(message);
        this.code = name;
    }
}

/**
 * Exports an interface. Each method takes the arguments of a call, and returns or promises the one value of the reply,
 * if there is one. `around` is called for each call with its sender and the work to do.
 */
export function serve(connection, path, xml, methods, around) {
    const object = {};
    for (const [name, method] of Object.entries(methods)) {
        object[`${name}Async`] = async (parameters, invocation) => {
            const type = invocation.get_method_info().out_args.map(argument => argument.signature).join('');
            try {
                const value = await around(invocation.get_sender(), () => method(...parameters));
                invocation.return_value(type ? new GLib.Variant(`(${type})`, [value]) : null);
            } catch (error) {
                const code = error instanceof Refusal ? error.code : 'Failed';
                invocation.return_dbus_error(`org.freedesktop.DBus.Error.${code}`, error.message);
            }
        };
    }
    const implementation = Gio.DBusExportedObject.wrapJSObject(xml, object);
    implementation.export(connection, path);
    exported.add(implementation);
}

/** Calls a method, as `org.example.Interface.Method`, and returns its reply as a variant. */
export function call(connection, name, path, member, signature, values, flags = Gio.DBusCallFlags.NONE) {
    const dot = member.lastIndexOf('.');
    return connection.call(name, path, member.slice(0, dot), member.slice(dot + 1), new GLib.Variant(signature, values),
        null, flags, -1, null);
}
