// SPDX-License-Identifier: Apache-2.0
// A code block with a “Copy” button, and with syntax highlighting if GtkSourceView is installed.
import Adw from 'gi://Adw?version=1';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';

import {_} from '../shared/text.js';
import {iconButton, named} from './widgets.js';

const GtkSource = await import('gi://GtkSource?version=5').then(module => module.default).catch(() => null);
// Language names of models, mapped to GtkSourceView's ids.
const NAMES = {bash: 'sh', shell: 'sh', javascript: 'js', typescript: 'typescript', ts: 'typescript', py: 'python3',
    python: 'python3', 'c++': 'cpp', 'c#': 'c-sharp', csharp: 'c-sharp', yml: 'yaml', md: 'markdown', rs: 'rust'};

export const CodeBlock = GObject.registerClass({
    GTypeName: 'ChappieCodeBlock',
}, class CodeBlock extends Gtk.Box {
    constructor(text, language) {
        super({orientation: Gtk.Orientation.VERTICAL, cssClasses: ['code-block', 'card'], hexpand: true});
        const head = new Gtk.Box({cssClasses: ['code-head']});
        this._name = new Gtk.Label({cssClasses: ['caption', 'dim-label'], xalign: 0, hexpand: true});
        head.append(this._name);
        head.append(iconButton('edit-copy-symbolic', _('Copy code'), {
            cssClasses: ['flat'], act: () => this.get_clipboard().set(this.text),
        }));
        this.append(head);
        this._buffer = GtkSource ? new GtkSource.Buffer() : new Gtk.TextBuffer();
        const options = {
            buffer: this._buffer, editable: false, monospace: true, leftMargin: 12, rightMargin: 12, bottomMargin: 12,
            cursorVisible: false, acceptsTab: false,
        };
        const view = GtkSource ? new GtkSource.View(options) : new Gtk.TextView(options);
        this.append(new Gtk.ScrolledWindow({
            child: named(view, _('Code')), vscrollbarPolicy: Gtk.PolicyType.NEVER, propagateNaturalHeight: true,
        }));
        if (GtkSource) {
            const style = Adw.StyleManager.get_default();
            const follow = () => this._buffer.set_style_scheme(
                GtkSource.StyleSchemeManager.get_default().get_scheme(style.dark ? 'Adwaita-dark' : 'Adwaita'));
            const handler = style.connect('notify::dark', follow);
            this.connect('destroy', () => style.disconnect(handler));
            follow();
        }
        this.update(text, language);
    }

    update(text, language) {
        const name = (language ?? '').split(/\s/)[0].toLowerCase();
        this._name.label = name;
        if (GtkSource)
            this._buffer.language = name ? GtkSource.LanguageManager.get_default().get_language(NAMES[name] ?? name) : null;
        // Inserting the new part is cheaper than replacing the whole text.
        if (this.text !== undefined && text.startsWith(this.text))
            this._buffer.insert(this._buffer.get_end_iter(), text.slice(this.text.length), -1);
        else
            this._buffer.set_text(text, -1);
        this.text = text;
    }
});
