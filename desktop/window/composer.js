// SPDX-License-Identifier: Apache-2.0
// The input for the question, its pictures and files, and what it is asked with.
import Gdk from 'gi://Gdk?version=4.0';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {_, fill, ngettext} from '../shared/text.js';
import {MAXIMUM_COUNT, TYPES, checkSize, dropTarget, fromClipboard, fromFile, fromTexture, hasPictures, thumbnail, withFiles} from './attachments.js';
import {ChoicesButton} from './choices.js';
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
    constructor(service) {
        super({orientation: Gtk.Orientation.VERTICAL, spacing: 6, cssClasses: ['composer']});
        this._attachments = [];
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
                hscrollbarPolicy: Gtk.PolicyType.NEVER, cssClasses: ['entry'],
            }),
        });
        overlay.add_overlay(this._hint);
        const button = (iconName, name, act, cssClasses) =>
            iconButton(iconName, name, {act, cssClasses, valign: Gtk.Align.END});
        this._attach = button('mail-attachment-symbolic', _('Add a picture or a file'), () => this.choose(), ['flat']);
        this._send = button('go-up-symbolic', _('Ask'), () => this._submit(), ['suggested-action', 'circular']);
        this._stop = button('media-playback-stop-symbolic', _('Stop the answer'), () => this.emit('stop'), ['circular']);
        this.choices = new ChoicesButton(service);
        this.choices.connect('problem', (_choices, message) => this.emit('problem', message));
        const row = new Gtk.Box({spacing: 6});
        [this._attach, overlay, this._send, this._stop].forEach(child => row.append(child));
        this._edit = new Gtk.Box({spacing: 6, visible: false});
        this._edit.append(new Gtk.Label({
            label: _('The last question and its answer are replaced.'), cssClasses: ['caption', 'dim-label'], wrap: true, xalign: 0,
            hexpand: true,
        }));
        this._edit.append(iconButton('window-close-symbolic', _('Keep the question and its answer'), {
            act: () => this.take(), cssClasses: ['flat', 'circular'],
        }));
        [this._edit, this._strip, row, this.choices].forEach(child => this.append(child));

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

    /** Whether the last question is edited, which is replaced then. */
    get editing() {
        return this._edit.visible;
    }

    set editing(editing) {
        this._edit.visible = editing;
    }

    vfunc_grab_focus() {
        return this._view.grab_focus();
    }

    /** Returns the question with its text files, and its pictures and documents, and clears the input. */
    take() {
        const attachments = this._attachments;
        const text = withFiles(this._view.buffer.text.trim(), attachments);
        this._put('', []);
        this.editing = false;
        return {text, attached: attachments.filter(attachment => !('text' in attachment))};
    }

    /**
     * Puts a question for the user to change, and its attachments if they are given. A draft stays as it is. Returns
     * whether it was put.
     */
    propose(text, attachments = this._attachments) {
        const draft = this._view.buffer.text;
        const isDraft = draft.trim() !== '' && draft !== this._proposed;
        const isPut = !isDraft && (attachments === this._attachments || this._attachments.length === 0);
        if (isPut) {
            this._proposed = text;
            this._put(text, attachments);
        } else {
            this.emit('problem', _('Send or clear your draft first.'));
        }
        this.grab_focus();
        return isPut;
    }

    _put(text, attachments) {
        this._attachments = attachments;
        this._view.buffer.set_text(text, -1);
        this._showAttachments();
    }

    /** Adds dropped, pasted or chosen files and pictures. */
    async add(items) {
        if (items.length > MAXIMUM_COUNT) {
            this.emit('problem', fill(_('Add at most %s files at a time.'), MAXIMUM_COUNT));
            return;
        }
        const problems = [];
        for (const item of items) {
            try {
                const attachment = item instanceof Gdk.Texture ? fromTexture(item) : await fromFile(item);
                checkSize([...this._attachments, attachment]);
                this._attachments.push(attachment);
            } catch (error) {
                problems.push(error.message);
            }
        }
        // Each toast would wait for the end of the one before it.
        if (problems.length === 1)
            this.emit('problem', problems[0]);
        else if (problems.length > 1)
            this.emit('problem', fill(ngettext('%1$s file was not added. %2$s', '%1$s files were not added. %2$s',
                problems.length), problems.length, problems[0]));
        this._showAttachments();
    }

    choose() {
        // GTK 4.8 has no FileDialog.
        const filter = new Gtk.FileFilter({name: _('Pictures, documents and text files')});
        [...TYPES, 'text/*', 'application/pdf'].forEach(type => filter.add_mime_type(type));
        ['doc', 'docx', 'odt', 'ppt', 'pptx', 'xls', 'xlsx', 'ods'].forEach(ending => filter.add_suffix(ending));
        const all = new Gtk.FileFilter({name: _('All files')});
        all.add_pattern('*');
        this._chooser = new Gtk.FileChooserNative({
            title: _('Add a picture or a file'), transientFor: this.get_root(), action: Gtk.FileChooserAction.OPEN,
            selectMultiple: true, modal: true,
        });
        [filter, all].forEach(one => this._chooser.add_filter(one));
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
        this._send.sensitive = hasText && this._view.buffer.text.trim() !== '' ||
            this._attachments.some(attachment => 'text' in attachment);
    }

    _showAttachments() {
        empty(this._strip);
        this._attachments.forEach(attachment => {
            const isFile = !attachment.texture;
            const shown = thumbnail(attachment);
            const child = isFile ? new Gtk.Box({halign: Gtk.Align.START}) : new Gtk.Overlay({child: shown, halign: Gtk.Align.START});
            const remove = iconButton('window-close-symbolic', isFile ? _('Remove the file') : _('Remove the picture'), {
                halign: Gtk.Align.END, valign: Gtk.Align.START, cssClasses: [isFile ? 'flat' : 'osd', 'circular'],
                act: () => {
                    this._attachments = this._attachments.filter(other => other !== attachment);
                    this._showAttachments();
                },
            });
            if (isFile)
                [shown, remove].forEach(part => child.append(part));
            else
                child.add_overlay(remove);
            // The button takes the focus, not the strip's wrapper around it.
            this._strip.append(new Gtk.FlowBoxChild({child, focusable: false}));
        });
        this._strip.visible = this._attachments.length > 0;
        this._update();
    }

    /** A drop target for pictures and files, for the whole conversation. */
    target() {
        return dropTarget(items => this.add(items));
    }
});
