// SPDX-License-Identifier: Apache-2.0
// A pending approval of a tool call, with its complete arguments.
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {_, fill, visible} from '../shared/text.js';
import {named} from './widgets.js';

export const Approval = GObject.registerClass({
    GTypeName: 'ChappieApproval',
    Signals: {answered: {param_types: [GObject.TYPE_BOOLEAN]}},
}, class Approval extends Gtk.Box {
    /** `app` is the sandboxed app that offers the tool; `problem` is why an earlier approval was rejected. */
    constructor({tool, text, app = null, problem = null}) {
        super({
            orientation: Gtk.Orientation.VERTICAL, spacing: 8, cssClasses: ['approval', 'card'],
            accessibleRole: Gtk.AccessibleRole.GROUP,
        });
        const name = visible(tool);
        named(this, fill(_('Approval for %s'), name));
        const label = (content, ...cssClasses) => this.append(
            new Gtk.Label({label: content, xalign: 0, wrap: true, wrapMode: 2, cssClasses, selectable: true}));
        label(app ? fill(_('%1$s wants to run the tool %2$s.'), visible(app), name)
            : fill(_('The model wants to run the tool %s.'), name), 'heading');
        if (problem)
            label(problem, 'error');
        const view = new Gtk.TextView({
            editable: false, monospace: true, wrapMode: Gtk.WrapMode.WORD_CHAR, acceptsTab: false, topMargin: 6,
            bottomMargin: 6, leftMargin: 6, rightMargin: 6,
        });
        view.buffer.set_text(visible(text), -1);
        named(view, _('What the tool is given'));
        this.append(new Gtk.ScrolledWindow({
            child: view, propagateNaturalHeight: true, maxContentHeight: 320, hscrollbarPolicy: Gtk.PolicyType.NEVER,
        }));
        const row = new Gtk.Box({spacing: 8, halign: Gtk.Align.END});
        // Neither button is the default: an accidental key press must not approve.
        const answers = [[_('Deny'), false, []], [_('Approve'), true, ['destructive-action']]];
        for (const [caption, approved, cssClasses] of answers) {
            const button = new Gtk.Button({label: caption, cssClasses});
            button.connect('clicked', () => {
                row.sensitive = false;
                this.emit('answered', approved);
            });
            row.append(button);
        }
        this.append(row);
    }
});
