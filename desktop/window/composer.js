// SPDX-License-Identifier: Apache-2.0
// The input for the question and its pictures.
import Gdk from 'gi://Gdk?version=4.0';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {MAXIMUM_TOTAL, TYPES, dropTarget, fromClipboard, fromFile, fromTexture, hasPictures, thumbnail} from './pictures.js';
import {_} from './text.js';
import {empty, iconButton, named} from './widgets.js';

export const Composer = GObject.registerClass({
    GTypeName: 'ChappieComposer',
    Signals: {
        // The user sends the question, which `take` returns.
        send: {},
        stop: {},
        problem: {param_types: [GObject.TYPE_STRING]},
    },
}, class Composer extends Gtk.Box {
    constructor() {
        super({orientation: Gtk.Orientation.VERTICAL, spacing: 6, cssClasses: ['composer']});
        this._pictures = [];
        this._strip = new Gtk.FlowBox({visible: false, selectionMode: Gtk.SelectionMode.NONE, maxChildrenPerLine: 6});
        this._view = new Gtk.TextView({
            wrapMode: Gtk.WrapMode.WORD_CHAR, acceptsTab: false, topMargin: 9, bottomMargin: 9, leftMargin: 9,
            rightMargin: 9, hexpand: true,
        });
        named(this._view, _('Question'));
        this._hint = new Gtk.Label({
            label: _('Ask something'), cssClasses: ['dim-label'], halign: Gtk.Align.START, valign: Gtk.Align.START,
            marginStart: 10, marginTop: 9, canTarget: false, accessibleRole: Gtk.AccessibleRole.PRESENTATION,
        });
        const overlay = new Gtk.Overlay({
            child: new Gtk.ScrolledWindow({
                child: this._view, propagateNaturalHeight: true, maxContentHeight: 200, hexpand: true,
                hscrollbarPolicy: Gtk.PolicyType.NEVER, cssClasses: ['card', 'view'],
            }),
        });
        overlay.add_overlay(this._hint);
        const button = (iconName, name, act, cssClasses) =>
            iconButton(iconName, name, {act, cssClasses, valign: Gtk.Align.END});
        this._attach = button('mail-attachment-symbolic', _('Add a picture'), () => this.choose(), ['flat']);
        this._send = button('go-up-symbolic', _('Ask'), () => this._submit(), ['suggested-action', 'circular']);
        this._stop = button('media-playback-stop-symbolic', _('Stop the answer'), () => this.emit('stop'), ['circular']);
        const row = new Gtk.Box({spacing: 6});
        [this._attach, overlay, this._send, this._stop].forEach(child => row.append(child));
        this.append(this._strip);
        this.append(row);

        this._view.buffer.connect('changed', () => this._update());
        this._view.connect('paste-clipboard', () => {
            if (hasPictures(this.get_clipboard())) {
                GObject.signal_stop_emission_by_name(this._view, 'paste-clipboard');
                this._paste();
            }
        });
        const keys = new Gtk.EventControllerKey({propagationPhase: Gtk.PropagationPhase.CAPTURE});
        keys.connect('key-pressed', (_keys, value, _code, state) => {
            const isEnter = [Gdk.KEY_Return, Gdk.KEY_KP_Enter, Gdk.KEY_ISO_Enter].includes(value);
            if (!isEnter || state & (Gdk.ModifierType.SHIFT_MASK | Gdk.ModifierType.CONTROL_MASK))
                return false;
            this._submit();
            return true;
        });
        this._view.add_controller(keys);
        this.running = false;
    }

    /** Whether an answer is streamed; the button stops it then. */
    set running(running) {
        this._running = running;
        this._send.visible = !running;
        this._stop.visible = running;
        this._update();
    }

    vfunc_grab_focus() {
        return this._view.grab_focus();
    }

    /** Returns the question and its pictures, and clears the input. */
    take() {
        const question = {text: this._view.buffer.text.trim(), pictures: this._pictures};
        this._pictures = [];
        this._view.buffer.set_text('', -1);
        this._showPictures();
        return question;
    }

    /** Adds dropped, pasted or chosen files and pictures. */
    async add(items) {
        for (const item of items) {
            try {
                const picture = item instanceof Gdk.Texture ? fromTexture(item) : await fromFile(item);
                const size = [...this._pictures, picture].reduce((sum, {address}) => sum + address.length, 0);
                if (size > MAXIMUM_TOTAL)
                    throw new Error(_('The pictures of a question may have 12 MiB together.'));
                this._pictures.push(picture);
            } catch (error) {
                this.emit('problem', error.message);
            }
        }
        this._showPictures();
    }

    choose() {
        // GTK 4.8 has no FileDialog.
        const filter = new Gtk.FileFilter({name: _('Pictures')});
        TYPES.forEach(type => filter.add_mime_type(type));
        this._chooser = new Gtk.FileChooserNative({
            title: _('Add a picture'), transientFor: this.get_root(), action: Gtk.FileChooserAction.OPEN,
            selectMultiple: true, modal: true,
        });
        this._chooser.add_filter(filter);
        this._chooser.connect('response', (chooser, response) => {
            if (response === Gtk.ResponseType.ACCEPT) {
                const files = chooser.get_files();
                this.add([...Array(files.get_n_items()).keys()].map(at => files.get_item(at)));
            }
            this._chooser = null;
        });
        this._chooser.show();
    }

    async _paste() {
        this.add(await fromClipboard(this.get_clipboard()).catch(error => {
            this.emit('problem', error.message);
            return [];
        }));
    }

    _submit() {
        if (this._send.visible && this._send.sensitive)
            this.emit('send');
    }

    _update() {
        const hasText = this._view.buffer.get_char_count() > 0;
        this._hint.visible = !hasText;
        this._send.sensitive = hasText && this._view.buffer.text.trim() !== '';
    }

    _showPictures() {
        empty(this._strip);
        this._pictures.forEach(picture => {
            const overlay = new Gtk.Overlay({child: thumbnail(picture), halign: Gtk.Align.START});
            overlay.add_overlay(iconButton('window-close-symbolic', _('Remove the picture'), {
                halign: Gtk.Align.END, valign: Gtk.Align.START, cssClasses: ['osd', 'circular'],
                act: () => {
                    this._pictures = this._pictures.filter(other => other !== picture);
                    this._showPictures();
                },
            }));
            // The button takes the focus, not the strip's wrapper around it.
            this._strip.append(new Gtk.FlowBoxChild({child: overlay, focusable: false}));
        });
        this._strip.visible = this._pictures.length > 0;
    }

    /** A drop target for pictures, for the whole conversation. */
    target() {
        return dropTarget(items => this.add(items));
    }
});
