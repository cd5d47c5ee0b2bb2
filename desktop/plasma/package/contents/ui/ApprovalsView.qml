// SPDX-License-Identifier: Apache-2.0
// Pending approvals, with the complete arguments of each tool call.
pragma ComponentBehavior: Bound

import QtQuick
import QtQuick.Layouts
import org.kde.kirigami as Kirigami
import org.kde.plasma.components as PlasmaComponents
import org.kde.plasma.extras as PlasmaExtras

import "states.mjs" as States

PlasmaComponents.ScrollView {
    id: view

    required property var approvals
    readonly property int count: approvals.count
    // Longer arguments are too much to read in the popup, so they can only be denied here.
    readonly property int limit: 8000

    contentWidth: availableWidth
    PlasmaComponents.ScrollBar.horizontal.policy: PlasmaComponents.ScrollBar.AlwaysOff
    Layout.minimumHeight: Kirigami.Units.gridUnit * 9

    ColumnLayout {
        width: view.availableWidth
        spacing: Kirigami.Units.largeSpacing

        Repeater {
            model: view.approvals

            ColumnLayout {
                id: card

                required property int index
                required property string tool
                required property string app
                required property string text
                required property string problem
                readonly property string name: view.approvals.service.visible(tool)
                readonly property string given: view.approvals.service.visible(text)
                readonly property bool isWhole: given.length <= view.limit

                Layout.fillWidth: true
                Accessible.role: Accessible.Grouping
                Accessible.name: States.fill(i18nd("chappie", "Approval for %s"), name)

                PlasmaExtras.Heading {
                    Layout.fillWidth: true
                    level: 4
                    text: card.app !== ""
                        ? States.fill(i18nd("chappie", "%1$s wants to run the tool %2$s."), view.approvals.service.visible(card.app), card.name)
                        : States.fill(i18nd("chappie", "The model wants to run the tool %s."), card.name)
                    textFormat: Text.PlainText
                    wrapMode: Text.Wrap
                }
                PlasmaComponents.TextArea {
                    Layout.fillWidth: true
                    Accessible.name: i18nd("chappie", "What the tool is given")
                    font.family: "monospace"
                    readOnly: true
                    text: card.given.slice(0, view.limit)
                    textFormat: TextEdit.PlainText
                    wrapMode: TextEdit.Wrap
                }
                PlasmaComponents.Label {
                    Layout.fillWidth: true
                    color: Kirigami.Theme.negativeTextColor
                    text: card.isWhole ? card.problem
                        : i18nd("chappie", "This is too long to be shown here. “chappie approvals” in a terminal shows all of it.")
                    textFormat: Text.PlainText
                    visible: text !== ""
                    wrapMode: Text.Wrap
                }
                // “Approve” is last, so that it does not get the focus: an accidental key press must not approve.
                RowLayout {
                    Layout.alignment: Qt.AlignRight

                    PlasmaComponents.Button {
                        text: i18nd("chappie", "Deny")
                        onClicked: view.approvals.answer(card.index, false)
                    }
                    PlasmaComponents.Button {
                        text: i18nd("chappie", "Approve")
                        visible: card.isWhole
                        onClicked: view.approvals.answer(card.index, true)
                    }
                }
            }
        }
    }
}
