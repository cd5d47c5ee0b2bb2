// SPDX-License-Identifier: Apache-2.0
// An empty conversation says what one can do.
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {_} from '../shared/text.js';

// The caption of a button, and the beginning of the question.
const EXAMPLES = [
    [() => _('Explain simply…'), () => _('Explain in simple words: ')],
    [() => _('Shorten a text…'), () => _('Shorten this text: ')],
    [() => _('Check code…'), () => _('Find the mistakes in this code: ')],
];
const HINTS = [
    ['mail-attachment-symbolic', () => _('Drop pictures, documents and text files here, or paste them.')],
    ['preferences-other-symbolic', () => _('Below the question you choose the model, how much it thinks, and instructions.')],
];
const STORAGE = ['document-open-recent-symbolic',
    () => _('Conversations are stored on this computer, encrypted, and can be searched.')];

function hint([iconName, text]) {
    const row = new Gtk.Box({spacing: 12});
    row.append(new Gtk.Image({iconName, accessibleRole: Gtk.AccessibleRole.PRESENTATION, cssClasses: ['dim-label']}));
    row.append(new Gtk.Label({label: text(), wrap: true, xalign: 0, cssClasses: ['dim-label']}));
    return row;
}

export const Greeting = GObject.registerClass({
    GTypeName: 'ChappieGreeting',
}, class Greeting extends Gtk.Box {
    /** `begin` is called with the beginning of a question. */
    constructor(begin) {
        super({
            orientation: Gtk.Orientation.VERTICAL, spacing: 12, valign: Gtk.Align.CENTER, vexpand: true,
            cssClasses: ['greeting'],
        });
        this.append(new Gtk.Label({label: _('What would you like to know?'), cssClasses: ['title-2'], wrap: true}));
        const examples = new Gtk.FlowBox({selectionMode: Gtk.SelectionMode.NONE, maxChildrenPerLine: 3});
        EXAMPLES.forEach(([caption, text]) => {
            const button = new Gtk.Button({label: caption()});
            button.connect('clicked', () => begin(text()));
            examples.append(new Gtk.FlowBoxChild({child: button, focusable: false}));
        });
        this.append(examples);
        /** The hint that conversations are stored: not every service stores them. */
        this.storage = hint(STORAGE);
        [...HINTS.map(hint), this.storage].forEach(row => this.append(row));
    }
});
