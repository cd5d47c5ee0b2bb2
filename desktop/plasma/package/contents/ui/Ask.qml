// SPDX-License-Identifier: Apache-2.0
// A question and its streamed answer.
import QtQuick
import QtQuick.Layouts
import org.kde.kirigami as Kirigami
import org.kde.plasma.components as PlasmaComponents
import org.kde.plasma.extras as PlasmaExtras

import "markdown.mjs" as Markdown
import "sources.mjs" as Sources
import "states.mjs" as States

ColumnLayout {
    id: view

    required property var turn
    required property var service
    readonly property string problem: turn.code === "" ? "" : turn.code === "Cancelled" ? i18nd("chappie", "Stopped.")
        : turn.code === "Network" ? i18nd("chappie", "The servers cannot be reached. Check the connection to the network.")
        : turn.code === "Interrupted" ? i18nd("chappie", "The service ended before the answer was complete.")
        : turn.problem

    readonly property var sources: Sources.sources(turn.search.citations)
    readonly property string searchText: turn.running && turn.search.status === "reading"
        ? States.fill(i18nd("chappie", "Reading %s…"), turn.search.detail)
        : turn.search.searches === 0 && sources.length === 0 ? i18nd("chappie", "The model did not search the web.")
        : !turn.running || turn.search.status !== "searching" ? ""
        : turn.search.detail ? States.fill(i18nd("chappie", "Searching the web: %s…"), turn.search.detail)
        : i18nd("chappie", "Searching the web…")

    function focusField() {
        field.forceActiveFocus();
    }

    /** Marks paragraphs that begin with a letter of Hebrew or Arabic: Qt takes the direction of the first one for all. */
    function withDirections(text) {
        const rightToLeft = "(?:<[^>]*>|&\\w+;|[^\\n<&A-Za-z\\u00c0-\\u058f\\u0900-\\u1fff\\u3040-\\ud7ff])*?"
            + "[\\u0590-\\u08ff][^\\n]*";
        return text.replace(new RegExp(`\\n?^(${rightToLeft}(?:\\n+${rightToLeft})*)$\\n?`, "gm"),
            '<p dir="rtl" style="margin: 0">$1</p>');
    }

    function scroll(pages) {
        const flickable = scroller.contentItem;
        const end = Math.max(0, flickable.contentHeight - flickable.height);
        flickable.contentY = Math.min(end, Math.max(0, flickable.contentY + pages * flickable.height));
    }

    function submit() {
        const text = field.text.trim();
        if (text === "" || turn.running)
            return;
        const isEdited = field.edited;
        field.clear();
        ask(text, isEdited);
    }

    function ask(text, replaces) {
        turn.options = choices.options;
        turn.ask(text, replaces);
    }

    PlasmaComponents.ScrollView {
        id: scroller
        Layout.fillWidth: true
        Layout.fillHeight: true
        contentWidth: availableWidth
        PlasmaComponents.ScrollBar.horizontal.policy: PlasmaComponents.ScrollBar.AlwaysOff

        ColumnLayout {
            width: scroller.availableWidth
            spacing: Kirigami.Units.largeSpacing

            PlasmaExtras.Heading {
                Layout.fillWidth: true
                level: 4
                text: view.turn.question.slice(0, view.turn.limit)
                textFormat: Text.PlainText
                visible: text !== ""
                wrapMode: Text.Wrap
            }
            TextEdit {
                Layout.fillWidth: true
                Accessible.name: i18nd("chappie", "Answer")
                activeFocusOnTab: true
                color: Kirigami.Theme.textColor
                font: Kirigami.Theme.defaultFont
                readOnly: true
                selectByMouse: true
                selectedTextColor: Kirigami.Theme.highlightedTextColor
                selectionColor: Kirigami.Theme.highlightColor
                // Qt takes the desktop's own fixed font for <tt>, which may not be installed.
                readonly property string numbered: Sources.numbered(view.turn.text, view.turn.search.citations)
                text: `<div style="white-space: pre-wrap">${view.withDirections(Markdown.markdown(numbered))
                    .replace(/<tt>/g, '<tt style="font-family: monospace">')}</div>`
                textFormat: TextEdit.RichText
                visible: view.turn.text !== ""
                wrapMode: TextEdit.Wrap
            }
            Repeater {
                model: view.sources

                Kirigami.UrlButton {
                    required property var modelData
                    Layout.fillWidth: true
                    elide: Text.ElideRight
                    horizontalAlignment: Text.AlignLeft
                    text: modelData.label
                    textFormat: Text.PlainText
                    url: modelData.url
                }
            }
        }
    }

    PlasmaComponents.Label {
        Layout.fillWidth: true
        font: Kirigami.Theme.smallFont
        text: i18nd("chappie", "The answer is longer than the box.")
        visible: view.turn.answer.length > view.turn.limit
        wrapMode: Text.Wrap
    }
    PlasmaComponents.Label {
        Layout.fillWidth: true
        font: Kirigami.Theme.smallFont
        text: view.searchText
        textFormat: Text.PlainText
        visible: text !== ""
        wrapMode: Text.Wrap
    }
    PlasmaComponents.Label {
        Layout.fillWidth: true
        color: Kirigami.Theme.negativeTextColor
        text: view.problem
        textFormat: Text.PlainText
        visible: text !== ""
        wrapMode: Text.Wrap
    }

    RowLayout {
        visible: view.turn.question !== "" && !view.turn.running

        PlasmaComponents.ToolButton {
            icon.name: "view-refresh"
            text: i18nd("chappie", "Ask again")
            onClicked: view.ask(view.turn.question, true)
        }
        PlasmaComponents.ToolButton {
            icon.name: "document-edit"
            text: i18nd("chappie", "Edit the question")
            onClicked: {
                // A draft stays.
                if (field.text === "") {
                    field.text = view.turn.question;
                    field.edited = true;
                }
                view.focusField();
            }
        }
    }
    RowLayout {
        PlasmaComponents.TextField {
            id: field

            // Whether the text replaces the latest question.
            property bool edited: false

            Layout.fillWidth: true
            Accessible.name: i18nd("chappie", "Question")
            focus: true
            placeholderText: i18nd("chappie", "Ask")
            onAccepted: view.submit()
            onTextChanged: edited = edited && text !== ""
            Keys.onPressed: event => {
                const pages = event.key === Qt.Key_PageDown ? 1 : event.key === Qt.Key_PageUp ? -1 : 0;
                if (pages !== 0)
                    view.scroll(pages);
                event.accepted = pages !== 0;
            }
        }
        PlasmaComponents.Button {
            display: PlasmaComponents.AbstractButton.IconOnly
            icon.name: "document-send"
            text: i18nd("chappie", "Ask")
            visible: !view.turn.running
            onClicked: view.submit()
        }
        PlasmaComponents.Button {
            display: PlasmaComponents.AbstractButton.IconOnly
            icon.name: "media-playback-stop"
            text: i18nd("chappie", "Stop the answer")
            visible: view.turn.running
            onClicked: view.turn.cancel()
        }
    }
    Choices {
        id: choices
        Layout.fillWidth: true
        service: view.service
        thread: view.turn.thread
        // A list there may have had the keys.
        onIsOpenChanged: if (!isOpen) field.forceActiveFocus()
    }
}
