// Asks the model, and prints the answer as it arrives. qdbusxml2cpp makes client.h: see Makefile.
#include <iostream>
#include "client.h"

int main(int argc, char **argv) {
  QCoreApplication app(argc, argv);
  OrgChappieClientInterface client("org.chappie", "/org/chappie", QDBusConnection::sessionBus());
  QDBusUnixFileDescriptor stream;
  QString failure = client.OpenTurn({}, stream).error().message();
  QFile io;
  io.open(fdopen(stream.takeFileDescriptor(), "r+"), QIODevice::ReadWrite);
  io.write(QJsonDocument(QJsonObject{{"text", app.arguments().last()}}).toJson(QJsonDocument::Compact) + '\n');
  for (QJsonObject event; failure.isEmpty() && event["event"] != "completed";) {
    event = QJsonDocument::fromJson(io.readLine()).object();
    if (event.isEmpty()) failure = "\nThe service ended before it answered.";
    if (event["event"] == "failed") failure = event["message"].toString();
    if (event["error"].toString().endsWith(".MissingCredential")) failure = "Sign in first: chappie sign-in";
    if (event["event"] == "text-delta") std::cout << event["text"].toString().toStdString() << std::flush;
  }
  (failure.isEmpty() ? std::cout : std::cerr) << failure.toStdString() << std::endl;
  return failure.isEmpty() ? 0 : 1;
}
