// SPDX-License-Identifier: Apache-2.0
// The popup: the view of the current state, and a button that opens the window.
import QtQuick
import QtQuick.Layouts
import org.kde.kirigami as Kirigami
import org.kde.plasma.components as PlasmaComponents
import org.kde.plasma.core as PlasmaCore
import org.kde.plasma.extras as PlasmaExtras
import org.kde.plasma.plasmoid

PlasmaExtras.Representation {
    id: box

    required property var applet
    readonly property string serviceState: applet.serviceState
    // A question can be typed and sent while the service is still starting.
    readonly property bool canAsk: serviceState === "ready" || serviceState === "starting"

    Layout.minimumWidth: Kirigami.Units.gridUnit * 18
    Layout.minimumHeight: Kirigami.Units.gridUnit * 14
    Layout.preferredWidth: Kirigami.Units.gridUnit * 24
    Layout.preferredHeight: Kirigami.Units.gridUnit * 26
    Accessible.name: "Chappie"
    collapseMarginsHint: true
    leftPadding: Kirigami.Units.largeSpacing
    rightPadding: leftPadding
    topPadding: leftPadding
    bottomPadding: leftPadding
    focus: true

    header: PlasmaExtras.PlasmoidHeading {
        RowLayout {
            anchors.fill: parent

            PlasmaExtras.Heading {
                Layout.fillWidth: true
                Layout.leftMargin: box.leftPadding
                level: 4
                // The system tray shows the name itself.
                text: Plasmoid.containmentDisplayHints & PlasmaCore.Types.ContainmentDrawsPlasmoidHeading ? "" : "Chappie"
            }
            PlasmaComponents.ToolButton {
                display: PlasmaComponents.AbstractButton.IconOnly
                enabled: box.canAsk && box.applet.turn.answer !== ""
                icon.name: "edit-copy"
                text: i18nd("chappie", "Copy the answer")
                onClicked: box.applet.service.copy(box.applet.turn.answer)
                PlasmaComponents.ToolTip.text: text
                PlasmaComponents.ToolTip.visible: hovered
            }
            PlasmaComponents.ToolButton {
                display: PlasmaComponents.AbstractButton.IconOnly
                enabled: box.canAsk && box.applet.turn.question !== ""
                icon.name: "document-new"
                text: i18nd("chappie", "New conversation")
                onClicked: {
                    box.applet.turn.reset();
                    ask.focusField();
                }
                PlasmaComponents.ToolTip.text: text
                PlasmaComponents.ToolTip.visible: hovered
            }
            PlasmaComponents.ToolButton {
                display: PlasmaComponents.AbstractButton.IconOnly
                icon.name: "window-new"
                text: i18nd("chappie", "Open the window")
                visible: box.applet.service.hasWindow
                onClicked: {
                    box.applet.service.openWindow(box.applet.turn.thread);
                    box.applet.expanded = false;
                }
                PlasmaComponents.ToolTip.text: text
                PlasmaComponents.ToolTip.visible: hovered
            }
        }
    }

    contentItem: ColumnLayout {
        spacing: Kirigami.Units.smallSpacing

        StateView {
            Layout.fillWidth: true
            Layout.fillHeight: true
            applet: box.applet
        }
        SignIn {
            Layout.fillWidth: true
            Layout.fillHeight: true
            applet: box.applet
            visible: box.serviceState === "sign-in"
        }
        ApprovalsView {
            Layout.fillWidth: true
            Layout.fillHeight: true
            approvals: box.applet.approvals
            visible: count > 0
        }
        Ask {
            id: ask
            Layout.fillWidth: true
            Layout.fillHeight: true
            focus: true
            service: box.applet.service
            turn: box.applet.turn
            visible: box.canAsk
        }
        Usage {
            Layout.fillWidth: true
            service: box.applet.service
            popupOpen: box.serviceState === "ready" && box.applet.expanded
            visible: box.serviceState === "ready" && count > 0
        }
    }

    function focusQuestion() {
        if (applet.expanded && canAsk)
            ask.focusField();
    }
    onCanAskChanged: focusQuestion()
    Connections {
        target: box.applet
        function onExpandedChanged() {
            box.focusQuestion();
        }
    }
}
