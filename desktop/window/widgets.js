// SPDX-License-Identifier: Apache-2.0
// What several parts of the window are made of.
import Gtk from 'gi://Gtk?version=4.0';

/** Tells a screen reader what a widget is. */
export function named(widget, name) {
    widget.update_property([Gtk.AccessibleProperty.LABEL], [name]);
    return widget;
}

/** A button with a picture alone. GTK 4.8 would give a screen reader the type of the picture as its name. */
export function iconButton(iconName, name, {act = null, ...properties} = {}) {
    const button = named(new Gtk.Button({iconName, tooltipText: name, ...properties}), name);
    if (act)
        button.connect('clicked', act);
    return button;
}

/** Opens a page in the browser. Its address comes from a server. */
export function openPage(widget, address) {
    if (/^https?:/.test(address ?? ''))
        Gtk.show_uri(widget.get_root(), address, 0);
}

/** A round button in the middle of a page. */
export function pill(label, classes, act) {
    const button = new Gtk.Button({label, halign: Gtk.Align.CENTER, cssClasses: ['pill', ...classes]});
    button.connect('clicked', act);
    return button;
}

/** Shows a page of a stack and hides the others, which a screen reader would find otherwise. */
export function showPage(stack, page) {
    page.visible = true;
    stack.visibleChild = page;
    for (let child = stack.get_first_child(); child; child = child.get_next_sibling())
        child.visible = child === page;
}

/** Removes all children of a box. */
export function empty(box) {
    while (box.get_first_child())
        box.remove(box.get_first_child());
}
