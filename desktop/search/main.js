// SPDX-License-Identifier: Apache-2.0
// The search service for GNOME Shell and KRunner, activated over D-Bus. It ends when it is idle.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {ErrorReply} from './bus.js';
import {isSandboxed} from './caller.js';
import {serveGnomeShell} from './gnome-shell.js';
import {serveKRunner} from './krunner.js';
import {IdleExit} from './idle-exit.js';
import {Search} from './search.js';
import {Titles} from './titles.js';

// Installed as share/chappie/search, beside share/locale; CHAPPIE_LOCALEDIR overrides it for running from the source.
const directory = GLib.path_get_dirname(GLib.filename_from_uri(import.meta.url)[0]);
imports.gettext.bindtextdomain('chappie', GLib.getenv('CHAPPIE_LOCALEDIR') ??
    GLib.build_filenamev([directory, '..', '..', 'locale']));

const connection = Gio.bus_get_sync(Gio.BusType.SESSION, null);
const loop = new GLib.MainLoop(null, false);
const idleExit = new IdleExit(connection, 'org.chappie.Search', () => loop.quit());
const search = new Search(new Titles(connection));
const intercept = (sender, handler) => idleExit.run(async () => {
    if (await isSandboxed(connection, sender))
        throw new ErrorReply('AccessDenied', 'Apps in a sandbox cannot search the conversations of others.');
    return handler();
});
// Objects are exported before the name is requested, so that no call arrives too early.
for (const serve of [serveGnomeShell, serveKRunner])
    serve(connection, '/org/chappie/Search', search, intercept);
idleExit.start();
loop.run();
// Sends the last reply before the program ends.
connection.flush_sync(null);
