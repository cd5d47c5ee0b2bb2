// SPDX-License-Identifier: Apache-2.0
// Pending approvals of tool calls, from any program of the user, with the complete arguments. Signals announce only the
// calls of broadcast turns, so the list is also read whenever the popup opens.
import {_, fill, visible} from './shared/text.js';
import {button, column, label, row, scroller} from './widgets.js';

// In bytes. Longer arguments are too much to read in the popup, so they can only be denied here.
const MAXIMUM_LENGTH = 8000;
// The number of approvals that are shown at a time, oldest first.
const MAXIMUM_SHOWN = 3;

export class Approvals {
    /** `changed` is called when the number of pending approvals has changed. */
    constructor(service, changed) {
        this._service = service;
        this._changed = changed;
        this.actor = column('chappie-part');
        this._shown = [];
    }

    get count() {
        return this._shown.length;
    }

    async refresh() {
        const refreshing = this._refreshing = {};
        const found = await this._find().catch(() => []);  // Without the service, none is pending.
        if (this._refreshing !== refreshing || this._service.cancellable.is_cancelled())
            return;
        // An unchanged list is not rebuilt, so that its buttons do not move.
        if (JSON.stringify(found) === JSON.stringify(this._shown))
            return;
        this._shown = found;
        this.actor.destroy_all_children();
        found.forEach(call => this.actor.add_child(this._card(call)));
        this._changed();
    }

    async _find() {
        // A call would start the service.
        if (this._service.presence !== 'running')
            return [];
        const [waiting] = await this._service.call('Manager', 'ListApprovals', '()', []);
        const found = [];
        for (const call of waiting.slice(0, MAXIMUM_SHOWN)) {
            // An approval that was answered in the meantime is left out.
            const [details] = call.bytes > MAXIMUM_LENGTH ? [{}]
                : await this._service.call('Manager', 'GetApproval', '(s)', [call.approval]).catch(() => [null]);
            if (details)
                found.push({...call, ...details});
        }
        return found;
    }

    _card({approval, tool, app, arguments: text}) {
        const name = visible(tool);
        const title = app ? fill(_('%1$s wants to run the tool %2$s.'), visible(app), name)
            : fill(_('The model wants to run the tool %s.'), name);
        const isWhole = text !== undefined;
        const given = label('chappie-arguments', visible(text ?? ''));
        given.accessible_name = `${_('What the tool is given')}: ${given.text}`;
        given.can_focus = true;
        const view = scroller('chappie-arguments-view', column('', given));
        view.visible = isWhole;
        const problem = label('chappie-problem',
            _('This is too long to be shown here. “chappie approvals” in a terminal shows all of it.'));
        problem.visible = !isWhole;
        // “Approve” is last, so that it does not get the focus: an accidental key press must not approve.
        const answers = [[_('Deny'), false], ...isWhole ? [[_('Approve'), true]] : []].map(([caption, approved]) =>
            button(caption, async () => {
                try {
                    await this._service.call('Manager', 'AnswerApproval', '(sbs)', [approval, approved, '']);
                } catch (failure) {
                    if (this._service.cancellable.is_cancelled())
                        return;
                    problem.text = failure.message;
                    problem.show();
                }
                this.refresh();  // Another program may have answered it.
            }));
        const card = column('chappie-card', label('chappie-title', title), view, problem, row('chappie-row', ...answers));
        card.accessible_name = fill(_('Approval for %s'), name);
        return card;
    }
}
