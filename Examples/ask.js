#!/usr/bin/gjs -m
// Asks the model, and prints the answer. Nothing here blocks, so it can become part of a shell extension.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';

Gio._promisify(Gio.DBusConnection.prototype, 'call_with_unix_fd_list');
Gio._promisify(Gio.DataInputStream.prototype, 'read_line_async', 'read_line_finish_utf8');
Gio._promisify(Gio.OutputStream.prototype, 'write_bytes_async');

async function* answer(question) {
    const [reply, sockets] = await Gio.DBus.session.call_with_unix_fd_list(
        'org.chappie', '/org/chappie', 'org.chappie.Client', 'OpenTurn', new GLib.Variant('(a{sv})', [{}]),
        null, Gio.DBusCallFlags.NONE, -1, null, null);
    const line = Gio.Socket.new_from_fd(sockets.get(reply.deepUnpack()[1])).connection_factory_create_connection();
    try {
        const bytes = new TextEncoder().encode(`${JSON.stringify({text: question})}\n`);
        for (let sent = 0; sent < bytes.length;)
            sent += await line.outputStream.write_bytes_async(bytes.slice(sent), GLib.PRIORITY_DEFAULT, null);
        const input = new Gio.DataInputStream({baseStream: line.inputStream});
        for (;;) {
            const [text] = await input.read_line_async(GLib.PRIORITY_DEFAULT, null);
            if (text === null)
                throw new Error('The service ended before it answered.');
            const event = JSON.parse(text);
            if (event.event === 'text-delta')
                yield event.text;
            else if (event.event === 'completed')
                return;
            else if (event.event === 'failed')
                throw new Error(event.message);
        }
    } finally {
        line.close(null);  // Before the end of the answer, this cancels it.
    }
}

const loop = new GLib.MainLoop(null, false);
let status = 0;
(async () => {
    try {
        let text = '';
        for await (const piece of answer(ARGV.join(' ')))
            text += piece;  // A label would show it now.
        print(text);
    } catch (error) {
        printerr(error.message);
        status = 1;
    }
    loop.quit();
})();
loop.run();
System.exit(status);
