#!/usr/bin/gjs -m
// Asks the model, and prints the answer as it arrives. Nothing here blocks, so it can become part of a shell extension.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

Gio._promisify(Gio.DBusConnection.prototype, 'call_with_unix_fd_list');
Gio._promisify(Gio.DataInputStream.prototype, 'read_line_async', 'read_line_finish_utf8');
const output = GLib.IOChannel.unix_new(1);
const fail = error => imports.system.exit(printerr(error.message) ?? 1);

const [reply, sockets] = await Gio.DBus.session.call_with_unix_fd_list('org.chappie', '/org/chappie',
    'org.chappie.Client', 'OpenTurn', new GLib.Variant('(a{sv})', [{}]), null, 0, -1, null, null).catch(fail);
const line = Gio.Socket.new_from_fd(sockets.get(reply.deepUnpack()[1])).connection_factory_create_connection();
line.outputStream.write_all(new TextEncoder().encode(`${JSON.stringify({text: ARGV.join(' ')})}\n`), null);
const lines = new Gio.DataInputStream({baseStream: line.inputStream});
for (let event = {}; event.event !== 'completed';) {
    const [text] = await lines.read_line_async(0, null).catch(() => [null]);
    event = JSON.parse(text ?? '{"event": "failed", "message": "\\nThe service ended before it answered."}');
    if (event.event === 'failed')
        fail(event.error?.endsWith('.MissingCredential') ? {message: 'Sign in first: chappie sign-in'} : event);
    const piece = {'text-delta': event.text, completed: '\n'}[event.event] ?? '';
    output.write_chars(new TextEncoder().encode(`${piece}\0`), -1);  // GLib looks for the end of the text.
    output.flush();
}
