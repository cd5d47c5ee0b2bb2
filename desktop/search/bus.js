// SPDX-License-Identifier: Apache-2.0
// Exports an interface that is described in XML.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

// The connection holds no reference, so these keep exported objects from garbage collection.
const exported = new Set();

/** An error reply: the last component of the D-Bus error name, and a message. */
export class ErrorReply extends Error {
    constructor(name, message) {
        super(message);
        this.code = name;
    }
}

/**
 * Exports an interface. Each method takes the arguments of a call, and returns the reply's only value, if any, or a
 * promise of it. `intercept` is called for each call with its sender and the handler.
 */
export function serve(connection, path, xml, methods, intercept) {
    const object = {};
    for (const [name, method] of Object.entries(methods)) {
        object[`${name}Async`] = async (parameters, invocation) => {
            const type = invocation.get_method_info().out_args.map(argument => argument.signature).join('');
            try {
                const value = await intercept(invocation.get_sender(), () => method(...parameters));
                invocation.return_value(type ? new GLib.Variant(`(${type})`, [value]) : null);
            } catch (error) {
                const code = error instanceof ErrorReply ? error.code : 'Failed';
                invocation.return_dbus_error(`org.freedesktop.DBus.Error.${code}`, error.message);
            }
        };
    }
    const implementation = Gio.DBusExportedObject.wrapJSObject(xml, object);
    implementation.export(connection, path);
    exported.add(implementation);
}
