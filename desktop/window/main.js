// SPDX-License-Identifier: Apache-2.0
// The entry point: gjs -m main.js
import GLib from 'gi://GLib';
import 'gi://Gtk?version=4.0';
import 'gi://Adw?version=1';
import System from 'system';

const directory = GLib.path_get_dirname(GLib.filename_from_uri(import.meta.url)[0]);
// Installed as share/chappie/window, beside share/locale; CHAPPIE_LOCALEDIR overrides it for running from the source.
imports.gettext.bindtextdomain('chappie', GLib.getenv('CHAPPIE_LOCALEDIR') ??
    GLib.build_filenamev([directory, '..', '..', 'locale']));
// Otherwise desktops would see a program called gjs.
GLib.set_prgname('org.chappie.Window');

const {Application} = await import('./application.js');
const application = new Application(directory);
// Promises are settled inside run() only if the main loop calls it, not a continuation after an await.
const status = await new Promise(resolve => GLib.idle_add(GLib.PRIORITY_DEFAULT, () => {
    resolve(application.run([System.programInvocationName, ...ARGV]));
    return GLib.SOURCE_REMOVE;
}));
System.exit(status);
