// SPDX-License-Identifier: Apache-2.0
// Pending approvals of tool calls, from any program of the user. Signals announce only the calls of broadcast turns, so
// the list is also read whenever the popup opens.
import QtQuick

ListModel {
    id: model

    required property var service
    property int reading: 0

    function refresh() {
        const now = ++reading;
        if (service.presence !== "running") {
            clear();
            return;
        }
        service.call("Manager", "ListApprovals", [], (values, code) => {
            const waiting = code === "" ? values[0].map(call => call.approval) : [];
            if (now !== reading)
                return;
            // Rows of approvals that are still pending are kept, so that nothing moves below the pointer.
            for (let index = count - 1; index >= 0; index--) {
                if (!waiting.includes(get(index).approval))
                    remove(index);
            }
            waiting.forEach(approval => add(approval, now));
        });
    }

    function add(approval, now) {
        for (let index = 0; index < count; index++) {
            if (get(index).approval === approval)
                return;
        }
        service.call("Manager", "GetApproval", [approval], (values, code) => {
            // An approval that was answered in the meantime is left out.
            if (code !== "" || now !== reading)
                return;
            const {tool, app = "", arguments: text} = values[0];
            append({approval, tool, app, text, problem: ""});
        });
    }

    function answer(index, approved) {
        const {approval} = get(index);
        service.call("Manager", "AnswerApproval", [approval, approved, ""], (_values, code, message) => {
            if (code !== "" && index < count && get(index).approval === approval)
                setProperty(index, "problem", message);
            else
                refresh();
        });
    }
}
