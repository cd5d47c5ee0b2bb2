// SPDX-License-Identifier: Apache-2.0
// The sign-in: in the browser, or with a code and the page to enter it on.
import QtQuick
import QtQuick.Layouts
import org.kde.kirigami as Kirigami
import org.kde.plasma.components as PlasmaComponents
import org.kde.plasma.extras as PlasmaExtras

import "states.mjs" as States

ColumnLayout {
    id: view

    required property var applet
    readonly property var session: applet.service.session
    readonly property string kind: session.SignInStep?.kind ?? "choose"
    readonly property string code: session.SignInStep?.code ?? ""
    readonly property string address: session.SignInStep?.uri ?? ""
    readonly property bool chooses: kind === "choose"
    readonly property bool hasCode: kind === "show-code"
    readonly property bool waits: !chooses && kind !== "wait"
    readonly property string message: session.Availability?.message ?? ""
    property string problem: ""

    spacing: Kirigami.Units.largeSpacing

    function call(method, values) {
        problem = "";
        applet.service.call("Session", method, values, (_values, code, message) => {
            if (code !== "" && code !== "Cancelled")
                problem = message;
        }, true);
    }

    Item {
        Layout.fillHeight: true
    }
    PlasmaExtras.Heading {
        Layout.fillWidth: true
        horizontalAlignment: Text.AlignHCenter
        level: 3
        text: view.chooses ? i18nd("chappie", "Sign in to ChatGPT") : view.message
        wrapMode: Text.Wrap
    }
    PlasmaComponents.Label {
        Layout.fillWidth: true
        horizontalAlignment: Text.AlignHCenter
        text: view.problem || view.message
        textFormat: Text.PlainText
        visible: view.chooses
        wrapMode: Text.Wrap
    }
    // The popup shows the code and the state, so no notification is needed.
    PlasmaComponents.Button {
        Layout.alignment: Qt.AlignHCenter
        text: i18nd("chappie", "Continue with ChatGPT")
        visible: view.chooses
        onClicked: {
            view.call("StartBrowserSignIn", [{notify: false}]);
            view.applet.expanded = false;
        }
    }
    PlasmaComponents.Button {
        Layout.alignment: Qt.AlignHCenter
        text: i18nd("chappie", "Use a code instead")
        visible: view.chooses
        onClicked: view.call("StartDeviceCodeSignIn", [{notify: false}])
    }

    PlasmaExtras.Heading {
        Layout.fillWidth: true
        Accessible.name: States.fill(i18nd("chappie", "Code: %s"), [...view.code].join(" "))
        font.family: "monospace"
        font.pointSize: Kirigami.Theme.defaultFont.pointSize * 2.5
        fontSizeMode: Text.HorizontalFit
        horizontalAlignment: Text.AlignHCenter
        text: view.code
        textFormat: Text.PlainText
        visible: view.hasCode
    }
    PlasmaComponents.Label {
        Layout.fillWidth: true
        horizontalAlignment: Text.AlignHCenter
        text: view.address
        textFormat: Text.PlainText
        visible: view.hasCode
        wrapMode: Text.WrapAnywhere
    }
    RowLayout {
        Layout.alignment: Qt.AlignHCenter
        visible: view.waits

        PlasmaComponents.Button {
            text: i18nd("chappie", "Open page")
            // The address comes from a server, so its scheme is checked.
            enabled: !view.hasCode || /^https?:/.test(view.address)
            onClicked: {
                // The service opens the page of a browser sign-in, also of one that is running already.
                if (view.hasCode)
                    Qt.openUrlExternally(view.address);
                else
                    view.call("StartBrowserSignIn", [{notify: false}]);
                view.applet.expanded = false;
            }
        }
        PlasmaComponents.Button {
            text: i18nd("chappie", "Copy code")
            visible: view.hasCode
            onClicked: view.applet.service.copy(view.code)
        }
        PlasmaComponents.Button {
            text: i18nd("chappie", "Cancel")
            onClicked: view.call("CancelSignIn", [])
        }
    }
    PlasmaComponents.Label {
        Layout.fillWidth: true
        font: Kirigami.Theme.smallFont
        horizontalAlignment: Text.AlignHCenter
        text: i18nd("chappie", "Continue only if you started this sign-in yourself. If somebody gave you this code, stop.")
        visible: view.hasCode
        wrapMode: Text.Wrap
    }
    Item {
        Layout.fillHeight: true
    }
}
