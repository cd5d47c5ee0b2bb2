// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLocalSocket>
#include <QObject>
#include <QTimer>

class QDBusMessage;

/// Questions that follow one another, and the answer to the latest as it comes. They are one stored thread, which the
/// window shows too. Question and answer pass a socket and not the bus, as JSON objects, one a line.
class Turn : public QObject
{
    Q_OBJECT
    Q_PROPERTY(bool running READ isRunning NOTIFY changed)
    /// The latest question.
    Q_PROPERTY(QString question READ question NOTIFY changed)
    /// The beginning of the answer, up to `limit` characters: a long text is laid out anew with each piece.
    Q_PROPERTY(QString text READ text NOTIFY textChanged)
    Q_PROPERTY(int limit READ limit CONSTANT)
    /// The whole answer.
    Q_PROPERTY(QString answer READ answer NOTIFY textChanged)
    /// Whether somebody looks at the text. Nothing is drawn for nobody.
    Q_PROPERTY(bool watched MEMBER m_watched NOTIFY textChanged)
    /// The last word of the latest failure's name, and a sentence for a person; empty without one.
    Q_PROPERTY(QString code READ code NOTIFY changed)
    Q_PROPERTY(QString problem READ problem NOTIFY changed)
    /// The id of the thread; empty before the first question, and when the service stores none.
    Q_PROPERTY(QString thread READ thread NOTIFY changed)

public:
    explicit Turn(QObject *parent = nullptr);

    bool isRunning() const { return m_running; }
    QString question() const { return m_question; }
    QString text() const { return m_answer.left(limit()); }
    int limit() const { return 8000; }
    QString answer() const { return m_answer; }
    QString code() const { return m_code; }
    QString problem() const { return m_problem; }
    QString thread() const { return m_thread; }

    /// Asks, when nothing is asked already.
    Q_INVOKABLE void ask(const QString &text);
    /// Ends the turn; what has come stays.
    Q_INVOKABLE void cancel();
    /// Forgets everything; the next question begins a new thread.
    Q_INVOKABLE void reset();

Q_SIGNALS:
    void changed();
    void textChanged();
    /// A tool of this turn waits for approval, or waits no more.
    void approvalsChanged();

private:
    void create();
    void open();
    void opened(const QDBusMessage &reply);
    void readLines();
    void read(const QByteArray &line);
    void write(const QJsonObject &line);
    void end(const QString &code, const QString &problem);

    QString m_question;
    QString m_answer;
    QString m_code;
    QString m_problem;
    QString m_thread;
    QByteArray m_line;
    QLocalSocket *m_socket = nullptr;
    QTimer m_draw;
    bool m_running = false;
    bool m_watched = false;
    // Replies for questions before this one are not for it.
    int m_number = 0;
};
