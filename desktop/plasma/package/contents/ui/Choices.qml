// SPDX-License-Identifier: Apache-2.0
// The model, its effort, the instructions and the web search of a conversation: a line that shows them, and opens to
// change them.
import QtQuick
import QtQuick.Layouts
import org.kde.kirigami as Kirigami
import org.kde.plasma.components as PlasmaComponents

import "states.mjs" as States

ColumnLayout {
    id: view

    required property var service
    /** The id of the thread; a new conversation begins with the defaults. */
    required property string thread
    property bool isOpen: false
    property var models: []
    property string model: ""
    property string effort: ""
    property string search: ""
    readonly property string defaultModel: service.client.Model ?? ""
    /** The options of a turn. */
    readonly property var options: {
        const options = {};
        if (model !== "")
            options.model = model;
        if (effort !== "")
            options.reasoning_effort = effort;
        const words = instructions.text.trim();
        if (words !== "")
            options.instructions = words;
        if (search !== "")
            options.web_search = search;
        return options;
    }
    readonly property string summary: [model || i18nd("chappie", "Default model"), effort && effortName(effort),
        options.instructions ? "…" : "", searchName(search)].filter(part => part).join(" · ")

    onThreadChanged: {
        if (thread !== "")
            return;
        model = effort = search = "";
        instructions.clear();
        isOpen = false;
    }

    function effortName(word) {
        return ({
            none: i18nd("chappie", "None"),
            minimal: i18nd("chappie", "Minimal"),
            low: i18nd("chappie", "Low"),
            medium: i18nd("chappie", "Medium"),
            high: i18nd("chappie", "High"),
            xhigh: i18nd("chappie", "Very high"),
            max: i18nd("chappie", "Highest"),
        })[word] ?? word;
    }

    function searchName(word) {
        return ({
            live: i18nd("chappie", "Web search"),
            cached: i18nd("chappie", "Web search in cached pages"),
        })[word] ?? "";
    }

    /** The offered values, of which the first is the default, and a chosen one that is no longer offered. */
    function values(offered, chosen) {
        return ["", ...offered, ...chosen !== "" && !offered.includes(chosen) ? [chosen] : []];
    }

    PlasmaComponents.ToolButton {
        Accessible.name: States.fill(i18nd("chappie", "Asked with: %s"), view.summary)
        icon.name: "configure"
        text: view.summary
        onClicked: {
            view.isOpen = !view.isOpen;
            if (view.isOpen)
                view.service.call("Client", "ListModels", [{}], (values, code) => {
                    if (code === "")
                        view.models = values[0];
                });
        }
    }
    GridLayout {
        columns: 2
        visible: view.isOpen

        PlasmaComponents.Label {
            text: i18nd("chappie", "Model")
        }
        PlasmaComponents.ComboBox {
            id: models
            readonly property var slugs: view.values(view.models.map(({slug}) => slug), view.model)
            Layout.fillWidth: true
            Accessible.name: i18nd("chappie", "Model")
            model: slugs.map(slug => slug !== "" ? slug : view.defaultModel === "" ? i18nd("chappie", "Default")
                : States.fill(i18nd("chappie", "Default (%s)"), view.defaultModel))
            currentIndex: slugs.indexOf(view.model)
            onActivated: index => {
                view.effort = "";
                view.model = slugs[index];
            }
        }
        PlasmaComponents.Label {
            text: i18nd("chappie", "Effort")
        }
        PlasmaComponents.ComboBox {
            readonly property var words: view.values(view.models.find(({slug}) =>
                slug === (view.model || view.defaultModel))?.supported_reasoning_levels ?? [], view.effort)
            Layout.fillWidth: true
            Accessible.name: i18nd("chappie", "Effort")
            model: words.map(word => word !== "" ? view.effortName(word) : i18nd("chappie", "Default"))
            currentIndex: words.indexOf(view.effort)
            onActivated: index => view.effort = words[index]
        }
        PlasmaComponents.Label {
            text: i18nd("chappie", "Search the web")
        }
        PlasmaComponents.ComboBox {
            readonly property var words: ["", "live", "cached"]
            Layout.fillWidth: true
            Accessible.name: i18nd("chappie", "Search the web")
            model: [i18nd("chappie", "Off"), i18nd("chappie", "Live"), i18nd("chappie", "Cached pages")]
            currentIndex: words.indexOf(view.search)
            onActivated: index => view.search = words[index]
        }
    }
    PlasmaComponents.TextField {
        id: instructions
        Layout.fillWidth: true
        Accessible.name: i18nd("chappie", "Instructions")
        placeholderText: i18nd("chappie", "Instructions")
        visible: view.isOpen
    }
    PlasmaComponents.Label {
        Layout.fillWidth: true
        font: Kirigami.Theme.smallFont
        text: i18nd("chappie", "A search carries words of the question to a search engine. Cached pages are those that the provider has stored already: nothing is fetched for you.")
        visible: view.isOpen
        wrapMode: Text.Wrap
    }
}
