// SPDX-License-Identifier: Apache-2.0
// Widgets with accessible names.
import Clutter from 'gi://Clutter';
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Pango from 'gi://Pango';
import Shell from 'gi://Shell';
import St from 'gi://St';

import {openWindow as call} from './shared/service.js';

function box(orientation, style, children) {
    const made = new St.BoxLayout({style_class: style, x_expand: true});
    // GNOME 48 renamed the property of St.BoxLayout, but not that of its layout manager.
    made.layout_manager.orientation = orientation;
    children.forEach(child => made.add_child(child));
    return made;
}

export const column = (style, ...children) => box(Clutter.Orientation.VERTICAL, style, children);
export const row = (style, ...children) => box(Clutter.Orientation.HORIZONTAL, style, children);

/** A label that wraps. */
export function label(style, text = '') {
    const made = new St.Label({style_class: style, text, x_expand: true});
    made.clutter_text.set({line_wrap: true, line_wrap_mode: Pango.WrapMode.WORD_CHAR, ellipsize: Pango.EllipsizeMode.NONE});
    return made;
}

/** Aligns a label as its text is written, whatever the language of the desktop is. */
export function align(made) {
    made.style = `text-align: ${Pango.find_base_dir(made.text, -1) === Pango.Direction.RTL ? 'right' : 'left'};`;
}

export function button(text, act) {
    const made = new St.Button({style_class: 'button chappie-button', label: text, accessible_name: text, can_focus: true});
    made.connect('clicked', act);
    return made;
}

/** A line that opens a page. */
export function linkButton(text, act) {
    const made = button(text, act);
    made.style_class = 'chappie-link';
    made.x_align = Clutter.ActorAlign.START;
    return made;
}

export function iconButton(icon, text, act) {
    const made = new St.Button({
        style_class: 'icon-button', icon_name: icon, accessible_name: text, can_focus: true, y_align: Clutter.ActorAlign.END,
    });
    made.connect('clicked', act);
    return made;
}

/** A scroll view with the maximum height of its style. */
export function scroller(style, child) {
    const made = new St.ScrollView({
        style_class: `${style} vfade`, hscrollbar_policy: St.PolicyType.NEVER, overlay_scrollbars: true, x_expand: true,
    });
    // Before GNOME 46, set_child() does not connect the adjustments.
    if (made.add_actor)
        made.add_actor(child);
    else
        made.set_child(child);
    return made;
}

/** Scrolls a list so far that one of its children shows. */
export function reveal(list, child) {
    const {y1, y2} = child.get_allocation_box();
    const place = list.vadjustment;
    place.value = Math.max(Math.min(place.value, y1), y2 - place.page_size);
}

/** Opens a page in the browser. The address comes from a server, so its scheme is checked. */
export function openPage(address) {
    if (/^https?:/.test(address))
        Gio.AppInfo.launch_default_for_uri_async(address, global.create_app_launch_context(0, -1), null, null);
}

const windowApp = () => Shell.AppSystem.get_default().lookup_app('org.chappie.Window.desktop');

/** Whether the window is installed. */
export const hasWindow = () => windowApp() !== null;

/** Opens the window, with a thread if it is not null. */
export function openWindow(thread) {
    // The activation token lets the window take the focus.
    const id = global.create_app_launch_context(0, -1).get_startup_notify_id(windowApp().app_info, []);
    const token = new GLib.Variant('s', id ?? '');
    const platform = {'activation-token': token, 'desktop-startup-id': token};
    call(Gio.DBus.session, thread && 'thread', thread ?? '', platform).catch(() => {});
}

export function copy(text) {
    St.Clipboard.get_default().set_text(St.ClipboardType.CLIPBOARD, text);
}
