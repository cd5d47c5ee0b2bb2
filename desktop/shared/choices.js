// SPDX-License-Identifier: Apache-2.0
// The model, its effort and the instructions that the next question of a conversation is asked with, whether the model
// may search the web, and the tool servers that it may use.
import GLib from 'gi://GLib';

import {_, fill} from './text.js';

const EFFORTS = {
    none: () => _('None'),
    minimal: () => _('Minimal'),
    low: () => _('Low'),
    medium: () => _('Medium'),
    high: () => _('High'),
    xhigh: () => _('Very high'),
    max: () => _('Highest'),
};

/** The ways to search the web as a list of [value, text]. */
export const searchList = () => [['', _('Off')], ['live', _('Live')], ['cached', _('Cached pages')]];

export const searchHint = () => _(
    'A search carries words of the question to a search engine. Cached pages are those that the provider has stored already: nothing is fetched for you.');

const SEARCHES = {
    live: () => _('Web search'),
    cached: () => _('Web search in cached pages'),
};

export const effortName = effort => EFFORTS[effort]?.() ?? effort;

export class Choices {
    /**
     * Each is empty for the default. A search carries words of the question out and tools act, so neither is
     * remembered.
     */
    constructor({model = '', effort = '', instructions = '', search = '', tools = []} = {}) {
        Object.assign(this, {model, effort, instructions, search, tools});
    }

    /** Those of a stored message. */
    static of({model, reasoningEffort, instructions} = {}) {
        return new Choices({model, effort: reasoningEffort, instructions});
    }

    /** The options of a turn. */
    get options() {
        const options = {
            model: this.model, reasoning_effort: this.effort, instructions: this.instructions.trim(),
            web_search: this.search,
        };
        const tools = this.tools.length > 0 ? {tools: new GLib.Variant('as', this.tools)} : {};
        return Object.fromEntries(Object.entries(options).filter(([, value]) => value)
            .map(([key, value]) => [key, new GLib.Variant('s', value)]).concat(Object.entries(tools)));
    }

    /** A short text for a button. */
    get summary() {
        return [this.model || _('Default model'), this.effort && effortName(this.effort), this.instructions.trim() && '…',
            SEARCHES[this.search]?.(), ...this.tools].filter(part => part).join(' · ');
    }
}

/** The models that the plan offers: `slug` and `efforts`, best first. */
export async function listModels(service) {
    const [models] = await service.call('Client', 'ListModels', '(a{sv})', [{}]);
    return models.map(({slug, supported_reasoning_levels: efforts = []}) => ({slug, efforts}));
}

/**
 * The choices as lists of [value, text], of which the first is the default. A chosen value that is no longer offered
 * stays in its list.
 */
export function choicesLists(models, {model, effort}, defaultModel) {
    const withChosen = (values, chosen) => chosen && !values.includes(chosen) ? [...values, chosen] : values;
    const {efforts = []} = models.find(({slug}) => slug === (model || defaultModel)) ?? {};
    return {
        models: [['', defaultModel ? fill(_('Default (%s)'), defaultModel) : _('Default')],
            ...withChosen(models.map(({slug}) => slug), model).map(slug => [slug, slug])],
        efforts: [['', _('Default')], ...withChosen(efforts, effort).map(word => [word, effortName(word)])],
    };
}
