#!/usr/bin/gjs -m
// SPDX-License-Identifier: Apache-2.0
// Loads every module of desktop/window, desktop/search and desktop/shared, without a display, to find syntax errors and
// missing imports. Finds in the applet for Plasma what Qt's engine lacks.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Gettext from 'gettext';
import System from 'system';

import '../desktop/search/caller.js';
import '../desktop/search/gnome-shell.js';
import '../desktop/search/krunner.js';
import '../desktop/search/idle-exit.js';
import '../desktop/search/search.js';
import {Failure} from '../desktop/shared/service.js';
import '../desktop/window/application.js';

// Qt's engine has ECMAScript 2016, `?.`, `??` and some functions of later editions: this is what Qt 6.4 lacks. A name
// fails only when it is reached, so no test of the applet finds it for certain.
const LACKING = new RegExp([
    '\\bObject\\.(?:fromEntries|groupBy|hasOwn)\\b',
    '\\bPromise\\.(?:allSettled|any|withResolvers)\\b',
    '\\.(?:at|finally|findLast|findLastIndex|flat|flatMap|matchAll|replaceAll|toReversed|toSorted|toSpliced|trimEnd|trimStart)\\(',
    '\\b(?:BigInt|Intl|TextDecoder|TextEncoder|WeakRef|async|await|setTimeout|structuredClone)\\b',
    '\\?\\?=|\\|\\|=|&&=',
    '\\{\\s*\\.\\.\\.',
    '\\bcatch\\s*\\{',
    '\\(\\?<',
    '\\b\\d+(?:_\\d|n\\b)',
].join('|'), 'g');
const lacking = text => text.replace(/^ *(?:\/\/|\/?\*).*$/gm, '').match(LACKING) ?? [];

let failures = 0;
function check(what, isTrue) {
    if (isTrue)
        return;
    failures += 1;
    printerr(`modules.js: ${what}`);
}

// The rule finds what it should, and nothing else.
for (const planted of ['Object.fromEntries([])', 'list.at(-1)', 'text.replaceAll("a", "b")', 'a ??= 1', 'a &&= b', '({...a})',
    'try { f() } catch { g() }', '/(?<=a)b/', '1_000', 'const f = async () => 1', 'new Intl.Locale("de")'])
    check(`Qt's engine has no “${planted}”, which is not found`, lacking(planted).length === 1);
const known = 'a?.b ?? Object.entries(c).map(([d, e]) => d.padStart(2)).concat([...f], Math.max(...g), `${h}`)  // Intl';
check(`Qt's engine has all of “${known}”`, lacking(known.replace(/ +\/\/.*/, '\n// Intl, async')).length === 0);

// gettext takes the message for a key of any text of the window, of its list of keys, or of its header.
GLib.setenv('LANGUAGE', 'de', true);
Gettext.setlocale(Gettext.LocaleCategory.ALL, 'C.UTF-8');
const top = GLib.path_get_dirname(GLib.path_get_dirname(GLib.filename_from_uri(import.meta.url)[0]));
Gettext.bindtextdomain('chappie', `${top}/.build/share/locale`);
for (const message of ['', 'keys\u0004en', 'Sign out', 'Sign out\0'])
    check(`“${message}” is shown as another text`, new Failure('Failed', message).message === message);

const applet = Gio.File.new_for_path(`${top}/desktop/plasma/package/contents/ui`);
let read = 0;
for (const info of applet.enumerate_children('standard::name', Gio.FileQueryInfoFlags.NONE, null)) {
    const name = info.get_name();
    if (!/\.(?:qml|js|mjs)$/.test(name))
        continue;
    read += 1;
    const text = new TextDecoder().decode(applet.get_child(name).load_contents(null)[1]);
    lacking(text).forEach(word => check(`${name}: Qt's engine has no “${word}”`, false));
}
check('the applet has no files', read > 2);
System.exit(failures > 0 ? 1 : 0);
