// SPDX-License-Identifier: Apache-2.0
// The states in which no question can be asked: their titles and actions.
import {leaveState, stateTexts} from './shared/states.js';
import {_} from './shared/text.js';
import {button, column, label} from './widgets.js';

/** The badge and the accessible description of the panel icon, by state. */
export const BADGES = {
    missing: ['dialog-error-symbolic', () => _('The service does not run')],
    unlock: ['changes-prevent-symbolic', () => _('The keyring is locked')],
    wait: ['changes-prevent-symbolic', () => _('The screen is locked')],
    'create-keyring': ['dialog-error-symbolic', () => _('The keyring cannot be used')],
    'sign-in': ['dialog-password-symbolic', () => _('Not signed in')],
    offline: ['network-offline-symbolic', () => _('The servers cannot be reached.')],
    approval: ['dialog-question-symbolic', () => _('Tools that wait for approval')],
    working: ['content-loading-symbolic', () => _('Answering…')],
};

/** Shows a state with its action. */
export class StateView {
    constructor(service) {
        this._service = service;
        this._title = label('chappie-title');
        this._text = label('chappie-text');
        this._button = button('', () => leaveState(this._state, service).catch(() => {}));
        this.actor = column('chappie-part', this._title, this._text, this._button);
    }

    show(state) {
        const texts = stateTexts(state, this._service);
        this.actor.visible = texts !== null;
        if (!texts)
            return;
        this._state = state;
        this._title.text = texts.title;
        this._text.text = texts.text;
        this._text.visible = texts.text !== '';
        this._button.label = this._button.accessible_name = texts.button;
        this._button.visible = texts.button !== '';
    }
}
