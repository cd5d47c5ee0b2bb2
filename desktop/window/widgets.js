// SPDX-License-Identifier: Apache-2.0
// Widgets that several parts of the window share.
import Gtk from 'gi://Gtk?version=4.0';

/** Sets the accessible name of a widget. */
export function named(widget, name) {
    widget.update_property([Gtk.AccessibleProperty.LABEL], [name]);
    return widget;
}

/** A button with an icon only. Without an accessible name, GTK 4.8 would take the icon's type. */
export function iconButton(iconName, name, {act = null, ...properties} = {}) {
    const button = named(new Gtk.Button({iconName, tooltipText: name, ...properties}), name);
    if (act)
        button.connect('clicked', act);
    return button;
}

/** Opens a page in the browser. The address comes from a server, so its scheme is checked. */
export function openPage(widget, address) {
    if (/^https?:/.test(address ?? ''))
        Gtk.show_uri(widget.get_root(), address, 0);
}

/** A pill-shaped button in the centre of a page. */
export function pill(label, classes, act) {
    const button = new Gtk.Button({label, halign: Gtk.Align.CENTER, cssClasses: ['pill', ...classes]});
    button.connect('clicked', act);
    return button;
}

/** Shows a page of a stack, and hides the others from screen readers. */
export function showPage(stack, page) {
    page.visible = true;
    stack.visibleChild = page;
    for (let child = stack.get_first_child(); child; child = child.get_next_sibling())
        child.visible = child === page;
}

/**
 * Takes all widgets out of a widget that is no longer used. GJS does not see the references of GTK's containers: a widget
 * in one, with a handler that uses its window, would keep the window and its texts until the process ends.
 */
export function takeApart(widget) {
    const children = new Set();
    for (let child = widget.get_first_child(); child; child = child.get_next_sibling())
        children.add(child);
    if (widget instanceof Gtk.Box || widget instanceof Gtk.Stack) {
        children.forEach(child => widget.remove(child));
    } else if (widget.child) {
        // Not always one of its own children: a page has it in a box.
        children.add(widget.child);
        widget.child = null;
    }
    children.forEach(takeApart);
}

export function empty(box) {
    while (box.get_first_child())
        box.remove(box.get_first_child());
}
