// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDBusMessage>
#include <QJSValue>
#include <QObject>
#include <QVariantMap>

#include <functional>

/// A proxy of the service on the session bus: its properties as they change, and calls. Nothing here blocks the shell.
class Service : public QObject
{
    Q_OBJECT
    /// `starting` before the first use of the service and after its end, `running`, or `missing`.
    Q_PROPERTY(QString presence READ presence NOTIFY changed)
    /// The properties of the three interfaces of /org/chappie.
    Q_PROPERTY(QVariantMap manager READ manager NOTIFY changed)
    Q_PROPERTY(QVariantMap session READ session NOTIFY changed)
    Q_PROPERTY(QVariantMap client READ client NOTIFY changed)
    /// Whether the window is installed.
    Q_PROPERTY(bool hasWindow MEMBER m_hasWindow NOTIFY windowFound)

public:
    /// The reply, and on an error the last component of its name and a sentence for the user; else empty texts.
    using Reply = std::function<void(const QDBusMessage &reply, const QString &code, const QString &message)>;

    explicit Service(QObject *parent = nullptr);

    QString presence() const { return m_presence; }
    QVariantMap manager() const { return m_values.value(Manager); }
    QVariantMap session() const { return m_values.value(Session); }
    QVariantMap client() const { return m_values.value(Client); }

    /// Reads all properties, which starts the service if necessary.
    Q_INVOKABLE void refresh();
    /// Calls a method of /org/chappie, by the last component of its interface. An object becomes a{sv}, an array av.
    /// `done(values, code, message)` is called with the reply; `code` is empty after a success.
    /// With `interactive` a locked keyring may prompt for its password.
    Q_INVOKABLE void call(const QString &interface, const QString &method, const QJSValue &arguments = {},
                          const QJSValue &done = {}, bool interactive = false);
    /// Checks whether the window is installed.
    Q_INVOKABLE void findWindow();
    /// Opens the window, at a stored thread if one is given.
    Q_INVOKABLE void openWindow(const QString &thread);
    Q_INVOKABLE void copy(const QString &text);

    /// The text with invisible and bidirectional characters escaped.
    Q_INVOKABLE QString visible(const QString &text) const;

    /// Sends a message. `done` is not called if the receiver is destroyed before the reply.
    static void send(const QDBusMessage &message, QObject *receiver, int timeout, Reply done);
    static QDBusMessage method(const QString &interface, const QString &member);

Q_SIGNALS:
    void changed();
    void windowFound();
    /// The pending approvals of broadcast turns may have changed.
    void approvalsChanged();

private Q_SLOTS:
    void propertiesChanged(const QString &interface, const QVariantMap &changed, const QStringList &invalidated);

private:
    enum Interface { Manager, Session, Client };

    void read(Interface interface);
    void forget(const QString &presence);

    QString m_presence;
    QMap<Interface, QVariantMap> m_values;
    // Replies to calls before the latest change of presence are ignored.
    int m_generation = 0;
    int m_missing = 0;
    bool m_hasWindow = false;
};
