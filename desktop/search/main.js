// SPDX-License-Identifier: Apache-2.0
// Answers the searches of GNOME Shell and KRunner: the session bus starts it with the first one, and it ends by itself.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';

import {Refusal} from './bus.js';
import {isSandboxed} from './caller.js';
import {serveGnomeShell} from './gnome-shell.js';
import {serveKRunner} from './krunner.js';
import {Life} from './life.js';
import {Search} from './search.js';
import {Titles} from './titles.js';

// Installed as share/chappie/search beside share/locale; the environment names another place for trying.
const directory = GLib.path_get_dirname(GLib.filename_from_uri(import.meta.url)[0]);
imports.gettext.bindtextdomain('chappie', GLib.getenv('CHAPPIE_LOCALEDIR') ??
    GLib.build_filenamev([directory, '..', '..', 'locale']));

const connection = Gio.bus_get_sync(Gio.BusType.SESSION, null);
const loop = new GLib.MainLoop(null, false);
const life = new Life(connection, 'org.chappie.Search', () => loop.quit());
const search = new Search(new Titles(connection));
const answer = (sender, work) => life.during(async () => {
    if (await isSandboxed(connection, sender))
        throw new Refusal('AccessDenied', 'Apps in a sandbox cannot search the conversations of others.');
    return work();
});
// The objects are there before the name is, so that no call finds nothing.
for (const serve of [serveGnomeShell, serveKRunner])
    serve(connection, '/org/chappie/Search', search, answer);
life.begin();
loop.run();
// The last reply leaves before the program does.
connection.flush_sync(null);
