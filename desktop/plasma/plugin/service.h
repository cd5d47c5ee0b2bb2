// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDBusMessage>
#include <QJSValue>
#include <QObject>
#include <QVariantMap>

#include <functional>

/// The service on the session bus: its properties as they change, and calls. Nothing here waits in the shell's process.
class Service : public QObject
{
    Q_OBJECT
    /// `unknown` until the service is used for the first time and after it has ended, `running`, or `missing`.
    Q_PROPERTY(QString presence READ presence NOTIFY changed)
    /// The properties of the three interfaces of /org/chappie.
    Q_PROPERTY(QVariantMap manager READ manager NOTIFY changed)
    Q_PROPERTY(QVariantMap session READ session NOTIFY changed)
    Q_PROPERTY(QVariantMap client READ client NOTIFY changed)
    /// Whether the window is installed.
    Q_PROPERTY(bool hasWindow MEMBER m_hasWindow NOTIFY windowFound)

public:
    /// The reply's values, and the last word of the error's name and a sentence for a person, or two empty texts.
    using Reply = std::function<void(const QDBusMessage &reply, const QString &code, const QString &message)>;

    explicit Service(QObject *parent = nullptr);

    QString presence() const { return m_presence; }
    QVariantMap manager() const { return m_values.value(Manager); }
    QVariantMap session() const { return m_values.value(Session); }
    QVariantMap client() const { return m_values.value(Client); }

    /// Reads all properties, and starts the service for that if it does not run.
    Q_INVOKABLE void refresh();
    /// Calls a method of /org/chappie, by the last word of its interface. An object becomes a{sv}, an array av.
    /// `done(values, code, message)` is called with the reply; `code` is empty after a success.
    /// With `interactive` a locked keyring may ask for its password.
    Q_INVOKABLE void call(const QString &interface, const QString &method, const QJSValue &arguments = {},
                          const QJSValue &done = {}, bool interactive = false);
    /// Finds out whether the window is installed.
    Q_INVOKABLE void findWindow();
    /// Opens the window: at a stored thread, or as it was.
    Q_INVOKABLE void openWindow(const QString &thread);
    /// Puts a text on the clipboard.
    Q_INVOKABLE void copy(const QString &text);

    /// The text with characters that cannot be seen, or that hide others, written as numbers.
    Q_INVOKABLE QString visible(const QString &text) const;

    /// Sends a message for an object, which may be gone when the reply comes.
    static void send(const QDBusMessage &message, QObject *receiver, int timeout, Reply done);
    static QDBusMessage method(const QString &interface, const QString &member);

Q_SIGNALS:
    void changed();
    void windowFound();
    /// A tool of a turn that anybody broadcasts waits for approval, or may wait no more.
    void approvalsChanged();

private Q_SLOTS:
    void propertiesChanged(const QString &interface, const QVariantMap &changed, const QStringList &invalidated);

private:
    enum Interface { Manager, Session, Client };

    void read(Interface interface);
    void forget(const QString &presence);

    QString m_presence;
    QMap<Interface, QVariantMap> m_values;
    // Answers to what was asked before the latest change of presence are old.
    int m_era = 0;
    int m_missing = 0;
    bool m_hasWindow = false;
};
