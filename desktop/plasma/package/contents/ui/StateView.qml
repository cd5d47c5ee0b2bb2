// SPDX-License-Identifier: Apache-2.0
// The states in which no question can be asked, with their actions.
import QtQuick
import org.kde.kirigami as Kirigami
import org.kde.plasma.extras as PlasmaExtras

PlasmaExtras.PlaceholderMessage {
    id: view

    required property var applet
    readonly property var service: applet.service
    readonly property string serviceState: applet.serviceState

    visible: iconName !== ""
    iconName: ({
        missing: "dialog-error-symbolic",
        unlock: "system-lock-screen-symbolic",
        wait: "system-lock-screen-symbolic",
        "create-keyring": "dialog-password-symbolic",
    })[serviceState] ?? ""
    text: applet.titleOf(serviceState)
    explanation: serviceState !== "missing" ? service.session.Availability?.message ?? ""
        : i18nd("chappie", "Chappie’s service could not be started. If the package “chappie” was just installed, log out and in again. “chappie doctor” in a terminal finds out more.")
    helpfulAction: Kirigami.Action {
        enabled: view.serviceState !== "wait"
        text: view.serviceState === "unlock" ? i18nd("chappie", "Unlock") : i18nd("chappie", "Try again")
        onTriggered: {
            // This call may prompt for the keyring's password. Its result shows in the properties.
            if (view.serviceState === "unlock")
                view.service.call("Threads", "GetUsage", [], null, true);
            // A keyring that was never used asks for the password of its first collection.
            else if (view.serviceState === "create-keyring")
                view.service.call("Session", "StartBrowserSignIn", [{notify: false}], null, true);
            else
                view.service.refresh();
        }
    }
}
