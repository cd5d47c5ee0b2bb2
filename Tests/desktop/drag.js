#!/usr/bin/gjs -m
// SPDX-License-Identifier: Apache-2.0
// A drag source for a file: gjs -m drag.js FILE
import Gdk from 'gi://Gdk?version=4.0';
import Gio from 'gi://Gio';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

const file = Gio.File.new_for_commandline_arg(ARGV[0]);
const application = new Gtk.Application({flags: Gio.ApplicationFlags.NON_UNIQUE});
application.connect('activate', () => {
    const source = new Gtk.DragSource({actions: Gdk.DragAction.COPY});
    source.connect('prepare', () => Gdk.ContentProvider.new_for_value(Gdk.FileList.new_from_list([file])));
    const label = new Gtk.Label({label: 'Drag'});
    label.add_controller(source);
    new Gtk.ApplicationWindow({application, child: label, title: 'Drag', decorated: false, defaultWidth: 100, defaultHeight: 80})
        .present();
});
application.run([]);
