#!/usr/bin/gjs -m
// SPDX-License-Identifier: Apache-2.0
// An editor of GTK, with a password field below: gjs -m editor.js FILE. It writes the file at each change.
import GLib from 'gi://GLib';
import Gio from 'gi://Gio';
import Gtk from 'gi://Gtk?version=4.0';

const [path] = ARGV;
GLib.set_prgname('editor');
const application = new Gtk.Application({applicationId: 'org.example.Editor', flags: Gio.ApplicationFlags.NON_UNIQUE});
application.connect('activate', () => {
    const view = new Gtk.TextView({vexpand: true, leftMargin: 12, topMargin: 12});
    const [, contents] = GLib.file_get_contents(path);
    view.buffer.set_text(new TextDecoder().decode(contents), -1);
    view.buffer.connect('changed', () => GLib.file_set_contents(path, view.buffer.text));
    const secret = new Gtk.PasswordEntry();
    const box = new Gtk.Box({orientation: Gtk.Orientation.VERTICAL});
    [view, secret].forEach(child => box.append(child));
    new Gtk.ApplicationWindow({application, child: box, title: 'Editor', defaultWidth: 400, defaultHeight: 300}).present();
    view.grab_focus();
});
application.run([]);
